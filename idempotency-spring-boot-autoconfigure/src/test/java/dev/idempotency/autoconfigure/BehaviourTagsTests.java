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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds docs/behaviours.md against the tags of the tests: each numbered behaviour has a
 * test, and each tag stands for a behaviour.
 */
class BehaviourTagsTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern GROUP = Pattern.compile("## ([A-Z])\\. .*");

	private static final Pattern NUMBER = Pattern.compile("(\\d+)\\. .*");

	private static final Pattern TAG = Pattern.compile("@Tag\\(\"([A-Z]\\d+)\"\\)");

	@Test
	void eachBehaviourHasATestAndEachTagIsABehaviour() throws IOException {
		assertThat(tags()).isEqualTo(behaviours());
	}

	private static Set<String> behaviours() throws IOException {
		Set<String> behaviours = new TreeSet<>();
		String group = "";
		for (String line : Files.readAllLines(ROOT.resolve("docs/behaviours.md"))) {
			Matcher heading = GROUP.matcher(line);
			Matcher number = NUMBER.matcher(line);
			if (heading.matches()) {
				group = heading.group(1);
			}
			else if (number.matches()) {
				assertThat(behaviours.add(group + number.group(1))).as(line).isTrue();
			}
		}
		return behaviours;
	}

	private static Set<String> tags() throws IOException {
		Set<String> tags = new TreeSet<>();
		try (Stream<Path> modules = Files.walk(ROOT, 2)) {
			for (Path tests : modules.map((module) -> module.resolve("src/test/java")).filter(Files::exists).toList()) {
				try (Stream<Path> files = Files.walk(tests)) {
					for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
						TAG.matcher(Files.readString(file)).results().forEach((tag) -> tags.add(tag.group(1)));
					}
				}
			}
		}
		return tags;
	}

}
