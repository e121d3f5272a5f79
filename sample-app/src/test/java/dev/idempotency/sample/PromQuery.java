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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a PromQL expression: its selectors, and the labels by which it groups or
 * joins. Only as much of the grammar as that takes; what is not understood is an error.
 *
 * @param selectors the selectors, in order
 * @param labels the labels in by, without, on, ignoring, group_left and group_right
 */
record PromQuery(List<Selector> selectors, Set<String> labels) {

	private static final Pattern TOKEN = Pattern.compile(
			"\\s+|(?<word>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?<string>\"(?:[^\"\\\\]|\\\\.)*\")|(?<range>\\[[^\\]]*\\])|[0-9.]+[a-zA-Z]*"
					+ "|(?<symbol>=~|!~|==|!=|<=|>=|[-+*/%^(){},=<>])");

	private static final Set<String> WITH_LABELS = Set.of("by", "without", "on", "ignoring", "group_left",
			"group_right");

	private static final Set<String> FUNCTIONS = Set.of("sum", "max", "min", "avg", "count", "rate", "increase",
			"irate", "histogram_quantile", "label_values", "absent", "clamp_min");

	private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool");

	/**
	 * Parses an expression.
	 * @param expression the expression, or Grafana's
	 * {@code label_values(selector, label)}
	 * @return what it asks for
	 * @throws IllegalArgumentException if it is not understood
	 */
	static PromQuery parse(String expression) {
		return new Parser(tokens(expression)).parse();
	}

	private static List<String> tokens(String expression) {
		List<String> tokens = new ArrayList<>();
		Matcher matcher = TOKEN.matcher(expression);
		int position = 0;
		while (position < expression.length()) {
			if (!matcher.find(position) || matcher.start() != position) {
				throw new IllegalArgumentException("Not understood: " + expression.substring(position));
			}
			position = matcher.end();
			// Ranges and numbers ask for nothing
			if (matcher.group("word") != null || matcher.group("string") != null || matcher.group("symbol") != null) {
				tokens.add(matcher.group());
			}
		}
		return tokens;
	}

	/**
	 * One metric, with conditions on its labels.
	 *
	 * @param metric the name
	 * @param conditions the conditions
	 */
	record Selector(String metric, List<Condition> conditions) {
	}

	/**
	 * A condition on a label.
	 *
	 * @param label the name of the label
	 * @param operator one of {@code = != =~ !~}
	 * @param value the value or pattern
	 */
	record Condition(String label, String operator, String value) {

		boolean matches(String actual) {
			return switch (this.operator) {
				case "=" -> actual.equals(this.value);
				case "!=" -> !actual.equals(this.value);
				case "=~" -> actual.matches(this.value);
				case "!~" -> !actual.matches(this.value);
				default -> throw new IllegalArgumentException("No operator: " + this.operator);
			};
		}

		/**
		 * Returns whether the value is chosen in Grafana.
		 */
		boolean isVariable() {
			return this.value.startsWith("$");
		}

	}

	private static final class Parser {

		private final List<String> tokens;

		private final List<Selector> selectors = new ArrayList<>();

		private final Set<String> labels = new TreeSet<>();

		private int next;

		Parser(List<String> tokens) {
			this.tokens = tokens;
		}

		PromQuery parse() {
			int open = 0;
			while (this.next < this.tokens.size()) {
				String token = take();
				if (token.equals("(")) {
					open++;
				}
				else if (token.equals(")")) {
					open--;
				}
				else if (WITH_LABELS.contains(token)) {
					takeLabels();
				}
				else if (token.equals("label_values")) {
					takeLabelValues();
				}
				else if (isWord(token)) {
					takeName(token);
				}
				else if (token.equals("{")) {
					throw new IllegalArgumentException("A selector without a metric");
				}
			}
			if (open != 0 || this.selectors.isEmpty()) {
				throw new IllegalArgumentException("Parentheses do not match, or there is no metric");
			}
			return new PromQuery(List.copyOf(this.selectors), Set.copyOf(this.labels));
		}

		private void takeName(String name) {
			boolean call = isNext("(") || isNext("by") || isNext("without");
			if (call != FUNCTIONS.contains(name) && !OPERATORS.contains(name)) {
				throw new IllegalArgumentException("Not a function or not a metric: " + name);
			}
			if (!call && !OPERATORS.contains(name)) {
				this.selectors.add(new Selector(name, isNext("{") ? takeConditions() : List.of()));
			}
		}

		private void takeLabelValues() {
			expect("(");
			takeName(take());
			expect(",");
			this.labels.add(take());
			expect(")");
		}

		private void takeLabels() {
			expect("(");
			while (!isNext(")")) {
				this.labels.add(take());
				if (!isNext(")")) {
					expect(",");
				}
			}
			expect(")");
		}

		private List<Condition> takeConditions() {
			expect("{");
			List<Condition> conditions = new ArrayList<>();
			while (!isNext("}")) {
				String label = take();
				String operator = take();
				String value = take();
				conditions.add(new Condition(label, operator, value.substring(1, value.length() - 1)));
				if (!isNext("}")) {
					expect(",");
				}
			}
			expect("}");
			return conditions;
		}

		private static boolean isWord(String token) {
			return Character.isLetter(token.charAt(0)) || token.charAt(0) == '_';
		}

		private boolean isNext(String token) {
			return this.next < this.tokens.size() && this.tokens.get(this.next).equals(token);
		}

		private String take() {
			if (this.next == this.tokens.size()) {
				throw new IllegalArgumentException("The expression ends too early");
			}
			return this.tokens.get(this.next++);
		}

		private void expect(String token) {
			String taken = take();
			if (!taken.equals(token)) {
				throw new IllegalArgumentException("Expected " + token + " instead of " + taken);
			}
		}

	}

}
