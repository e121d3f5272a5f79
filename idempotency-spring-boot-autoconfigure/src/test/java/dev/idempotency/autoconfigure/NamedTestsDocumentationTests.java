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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that the documents name exist, and each protection has one.
 */
class NamedTestsDocumentationTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Tests)(?:\\.(\\w+))?`");

	private static final Map<String, String> SOURCES = sources();

	static Stream<Path> pages() throws IOException {
		return DocumentationTests.pages();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyTestThatAPageNamesExists(Path page) throws IOException {
		assertThat(NAMED_TEST.matcher(Files.readString(page)).results().filter((named) -> !exists(named)))
			.extracting(MatchResult::group)
			.isEmpty();
	}

	/**
	 * A release runs each mutation: its test has to fail.
	 */
	@Test
	@Tag("Y18")
	void everyNamedProtectionHasAMutationThatMatchesTheCode() throws Exception {
		Process check = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"tests/mutations/Mutations.java", "--check")
			.directory(ROOT.toFile())
			.redirectErrorStream(true)
			.start();
		String protections = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		assertThat(check.waitFor()).as(protections).isZero();
		assertThat(Files.readString(ROOT.resolve("tests/mutations/README.md"))).contains(protections);
	}

	private static boolean exists(MatchResult named) {
		String source = SOURCES.get(named.group(1));
		return source != null && (named.group(2) == null || source.contains("void " + named.group(2) + "("));
	}

	private static Map<String, String> sources() {
		try (Stream<Path> modules = Files.walk(ROOT, 2)) {
			return modules.map((module) -> module.resolve("src"))
				.filter(Files::isDirectory)
				.flatMap(NamedTestsDocumentationTests::tests)
				.collect(Collectors.toMap((file) -> file.getFileName().toString().replace(".java", ""),
						NamedTestsDocumentationTests::read, (one, other) -> one + other));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Stream<Path> tests(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith("Tests.java")).toList().stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
