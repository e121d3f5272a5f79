/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;

import dev.idempotency.observability.IdempotencyMeter;
import dev.idempotency.observation.IdempotencyObservation;
import dev.idempotency.observation.IdempotencyObservation.Event;
import dev.idempotency.outbox.PublicationObservationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds what the documentation refers to against what there is.
 */
class DocumentationTests {

	private static final Path ROOT = Path.of("..");

	/**
	 * The generator of the site, with the pages of its dependencies.
	 */
	private static final Path SITE = ROOT.resolve("docs/site");

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	private static final Path TEST_STARTER = ROOT.resolve("idempotency-spring-boot-starter-test/src/main/resources");

	private static final Pattern CODE_BLOCK = Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern YAML_BLOCK = Pattern.compile("^ *```yaml\\n(.*?)^ *```",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

	private static final Pattern JAVADOC_INTERNAL = Pattern.compile("<javadoc.internal>([^<]+)<");

	/**
	 * Not a part of an address, a package or another property.
	 */
	private static final Pattern NAME = Pattern.compile("(?<![\\w./-])idempotency(?:\\.[a-z0-9-]+)+");

	/**
	 * The value that the observation of a request gets.
	 */
	private static final String OUTCOME = "idempotency.outcome";

	static Stream<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>(
				List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("CHANGELOG.md"),
						ROOT.resolve("benchmarks/README.md"), ROOT.resolve("tests/mutations/README.md")));
		for (String folder : List.of("docs", "examples")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
				files.filter((file) -> file.toString().endsWith(".md") && !file.startsWith(SITE))
					.sorted()
					.forEach(pages::add);
			}
		}
		return pages.stream();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyLinkWithinTheProjectLeadsSomewhere(Path page) throws IOException {
		List<String> broken = matches(LINK, CODE_BLOCK.matcher(Files.readString(page)).replaceAll(""))
			.map((link) -> link.group(1))
			.filter((link) -> URI.create(link).getScheme() == null)
			.filter((link) -> !leadsSomewhere(page, URI.create(link)))
			.toList();
		assertThat(broken).isEmpty();
	}

	@Test
	void theIndexListsEveryPage() throws IOException {
		Path docs = ROOT.resolve("docs");
		Path index = docs.resolve("README.md");
		Set<Path> listed = matches(LINK, Files.readString(index))
			.map((link) -> index.resolveSibling(link.group(1)).normalize())
			.collect(Collectors.toSet());
		assertThat(pages().filter((page) -> page.startsWith(docs) && !page.startsWith(docs.resolve("adr")))
			.filter((page) -> !page.equals(index))
			.map(Path::normalize)).allMatch(listed::contains);
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyNameOfAPropertyOrMeterExists(Path page) throws IOException {
		Set<String> known = names();
		assertThat(matches(NAME, YAML_BLOCK.matcher(Files.readString(page)).replaceAll("")).map(MatchResult::group))
			.allMatch((name) -> isKnown(known, name));
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyPropertyInYamlExists(Path page) throws IOException {
		Set<String> known = properties();
		matches(YAML_BLOCK, Files.readString(page)).flatMap((block) -> flatten(block.group(1)))
			.filter((name) -> name.startsWith("idempotency."))
			.forEach((name) -> assertThat(known).as(page.toString()).contains(name));
	}

	/**
	 * The store in memory is internal, too, and is copied into the test starter.
	 */
	@Test
	void thePublishedJavadocHasNoInternalPackage() throws IOException {
		Set<String> internal = new TreeSet<>(Set.of("dev.idempotency.store.memory"));
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path module : modules.filter((path) -> path.getFileName().toString().startsWith("idempotency-"))
				.toList()) {
				internal.addAll(internalPackages(module.resolve("src/main/java")));
			}
		}
		String excluded = matches(JAVADOC_INTERNAL, Files.readString(ROOT.resolve("pom.xml"))).findFirst()
			.orElseThrow()
			.group(1);
		assertThat(excluded.split(":")).containsExactlyInAnyOrderElementsOf(internal);
	}

	private static List<String> internalPackages(Path sources) throws IOException {
		if (!Files.exists(sources)) {
			return List.of();
		}
		try (Stream<Path> files = Files.find(sources, Integer.MAX_VALUE,
				(file, attributes) -> file.endsWith("package-info.java"))) {
			List<String> packages = new ArrayList<>();
			for (Path file : files.toList()) {
				if (Files.readString(file).contains("\n * Internal:")) {
					packages.add(sources.relativize(file.getParent()).toString().replace(File.separatorChar, '.'));
				}
			}
			return packages;
		}
	}

	private static Stream<MatchResult> matches(Pattern pattern, String text) {
		return pattern.matcher(text).results();
	}

	private static boolean leadsSomewhere(Path page, URI link) {
		Path target = link.getPath().isEmpty() ? page : page.resolveSibling(link.getPath());
		return Files.exists(target) && (link.getFragment() == null || anchors(target).contains(link.getFragment()));
	}

	/**
	 * The anchors that GitHub makes of headings.
	 */
	private static List<String> anchors(Path page) {
		try {
			return matches(HEADING, CODE_BLOCK.matcher(Files.readString(page)).replaceAll(""))
				.map((heading) -> heading.group(1)
					.toLowerCase(Locale.ROOT)
					.replaceAll("[^\\p{L}\\p{N} _-]", "")
					.replace(' ', '-'))
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("Not a page: " + page, ex);
		}
	}

	/**
	 * A group of properties may be named for all of them.
	 */
	private static boolean isKnown(Set<String> known, String name) {
		return known.contains(name) || known.stream().anyMatch((other) -> other.startsWith(name + "."));
	}

	private static Stream<String> flatten(String yaml) {
		YamlPropertiesFactoryBean factory = new YamlPropertiesFactoryBean();
		factory.setResources(new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
		Properties properties = Objects.requireNonNull(factory.getObject());
		return properties.stringPropertyNames().stream().map((name) -> name.replaceAll("\\[\\d+]", ""));
	}

	private static Set<String> names() throws IOException {
		Set<String> names = properties();
		Arrays.stream(IdempotencyMeter.values()).map(IdempotencyMeter::meterName).forEach(names::add);
		Arrays.stream(IdempotencyObservation.values()).map((observation) -> observation.getName()).forEach(names::add);
		Arrays.stream(Event.values())
			.map((event) -> IdempotencyObservation.REQUEST.getName() + "." + event.getName())
			.forEach(names::add);
		names.add(PublicationObservationContext.NAME);
		names.add(OUTCOME);
		return names;
	}

	private static Set<String> properties() throws IOException {
		Set<String> properties = new TreeSet<>();
		for (InputStream metadata : List.of(
				Objects.requireNonNull(IdempotencyProperties.class.getClassLoader().getResourceAsStream(METADATA)),
				Files.newInputStream(TEST_STARTER.resolve(METADATA)))) {
			try (metadata) {
				for (JsonNode property : JsonMapper.shared().readTree(metadata).get("properties")) {
					properties.add(property.get("name").asString());
				}
			}
		}
		return properties;
	}

}
