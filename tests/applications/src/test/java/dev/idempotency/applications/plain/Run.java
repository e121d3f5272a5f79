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
package dev.idempotency.applications.plain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The output of a process about one start.
 *
 * @param lines the lines
 */
record Run(List<String> lines) {

	/**
	 * Divides the output of a process.
	 * @param output its lines
	 * @return the starts by their names
	 */
	static Map<String, Run> divide(List<String> output) {
		Map<String, Run> runs = new LinkedHashMap<>();
		List<String> lines = new ArrayList<>();
		for (String line : output) {
			if (line.startsWith(Facts.PREFIX + Facts.NAME)) {
				lines = new ArrayList<>();
				runs.put(line.substring((Facts.PREFIX + Facts.NAME).length()), new Run(lines));
			}
			else {
				lines.add(line);
			}
		}
		return runs;
	}

	List<String> facts(String kind) {
		return this.lines.stream()
			.filter((line) -> line.startsWith(Facts.PREFIX + kind))
			.map((line) -> line.substring(Facts.PREFIX.length()))
			.toList();
	}

	/**
	 * Numbers are times, ports and hash codes.
	 */
	List<String> log() {
		return this.lines.stream()
			.filter((line) -> !line.startsWith(Facts.PREFIX))
			.map((line) -> line.replaceAll("(@|test_)[0-9a-f]+", "$1")
				.replaceAll("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#")
				.replaceAll("[0-9]+", "#"))
			.toList();
	}

	@Override
	public String toString() {
		return String.join("\n", this.lines);
	}

}
