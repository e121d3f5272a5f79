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
package dev.idempotency.sample;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.sample.PromQuery.Condition;
import dev.idempotency.sample.PromQuery.Selector;

/**
 * The series of one scrape, in Prometheus' text format, and what of a query they lack.
 */
final class Scrape {

	/**
	 * Labels of the target, which Prometheus itself adds.
	 */
	private static final Set<String> TARGET_LABELS = Set.of("job", "instance");

	private static final Pattern SERIES = Pattern
		.compile("^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(?<labels>.*)\\})? (?<value>[^ ]+)$");

	private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

	private final Map<String, List<Series>> series = new HashMap<>();

	private Scrape() {
	}

	static Scrape parse(String text) {
		Scrape scrape = new Scrape();
		text.lines().filter((line) -> !line.startsWith("#")).forEach(scrape::add);
		return scrape;
	}

	private void add(String line) {
		Matcher matcher = SERIES.matcher(line);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("Not a series: " + line);
		}
		Map<String, String> labels = new TreeMap<>();
		if (matcher.group("labels") != null) {
			Matcher label = LABEL.matcher(matcher.group("labels"));
			while (label.find()) {
				labels.put(label.group(1), label.group(2));
			}
		}
		this.series.computeIfAbsent(matcher.group("name"), (name) -> new ArrayList<>())
			.add(new Series(labels, Double.parseDouble(matcher.group("value"))));
	}

	/**
	 * The sum of all series that a selector selects.
	 */
	double sum(String expression) {
		Selector selector = PromQuery.parse(expression).selectors().get(0);
		return selected(selector).stream().mapToDouble(Series::value).sum();
	}

	/**
	 * Returns the metrics in a query that do not exist.
	 * @param query the query
	 * @return a line for each fault, none if all is there
	 */
	List<String> faults(PromQuery query) {
		List<String> faults = new ArrayList<>();
		for (Selector selector : query.selectors()) {
			List<Series> all = this.series.getOrDefault(selector.metric(), List.of());
			if (all.isEmpty()) {
				faults.add("no metric " + selector.metric());
				continue;
			}
			selector.conditions()
				.stream()
				.map(Condition::label)
				.filter((label) -> isMissing(all, label))
				.forEach((label) -> faults.add("no label " + label + " on " + selector.metric()));
			query.labels()
				.stream()
				.filter((label) -> isMissing(all, label))
				.forEach((label) -> faults.add("no label " + label + " on " + selector.metric()));
			if (selected(selector).isEmpty()) {
				faults.add("no series for " + selector);
			}
		}
		return faults;
	}

	private static boolean isMissing(List<Series> all, String label) {
		return !TARGET_LABELS.contains(label) && !all.stream().allMatch((one) -> one.labels().containsKey(label));
	}

	private List<Series> selected(Selector selector) {
		return this.series.getOrDefault(selector.metric(), List.of())
			.stream()
			.filter((one) -> selector.conditions().stream().allMatch((condition) -> isMet(condition, one)))
			.toList();
	}

	private static boolean isMet(Condition condition, Series series) {
		return TARGET_LABELS.contains(condition.label()) || condition.isVariable()
				|| condition.matches(series.labels().getOrDefault(condition.label(), ""));
	}

	/**
	 * One series.
	 *
	 * @param labels its labels
	 * @param value its value
	 */
	private record Series(Map<String, String> labels, double value) {
	}

}
