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

package dev.idempotency.web.fingerprint;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * JSON documents made at random, which can be spelled in many ways, and changed in one
 * place.
 */
final class RandomJson {

	private RandomJson() {
	}

	static Value document(Random random) {
		return value(random, 4);
	}

	private static Value value(Random random, int depth) {
		int kind = random.nextInt((depth > 0) ? 8 : 4);
		if (kind < 4) {
			return scalar(random);
		}
		if (kind < 6) {
			List<Value> elements = new ArrayList<>();
			for (int size = random.nextInt(4); size > 0; size--) {
				elements.add(value(random, depth - 1));
			}
			return new ArrayValue(elements);
		}
		Map<String, Value> members = new LinkedHashMap<>();
		for (int size = random.nextInt(5); size > 0; size--) {
			members.put(text(random), value(random, depth - 1));
		}
		return new ObjectValue(members);
	}

	private static Value scalar(Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> new Literal(List.of("true", "false", "null").get(random.nextInt(3)));
			case 1 -> new Text(text(random));
			default -> new Number(new BigDecimal(new BigInteger(random.nextInt(90), random), random.nextInt(40) - 20)
				.multiply(BigDecimal.valueOf(random.nextBoolean() ? 1 : -1)));
		};
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		for (int length = random.nextInt(6); length > 0; length--) {
			text.appendCodePoint(switch (random.nextInt(5)) {
				case 0 -> random.nextInt(0x20);
				case 1 -> 0xA0 + random.nextInt(0x700);
				case 2 -> 0x1F600 + random.nextInt(0x40);
				default -> 0x20 + random.nextInt(0x5F);
			});
		}
		return text.toString();
	}

	private static String space(Random random) {
		return (random.nextInt(4) == 0) ? List.of(" ", "\n", "\t\r\n ").get(random.nextInt(3)) : "";
	}

	private static String spell(String text, Random random) {
		StringBuilder result = new StringBuilder("\"");
		text.codePoints().forEach((codePoint) -> {
			if (codePoint < 0x20 || codePoint == '"' || codePoint == '\\' || random.nextInt(8) == 0) {
				// Both halves of a surrogate pair: UTF-8 has no spelling for one alone
				for (char c : Character.toChars(codePoint)) {
					result.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) c));
				}
			}
			else {
				result.appendCodePoint(codePoint);
			}
		});
		return result.append('"').toString();
	}

	/**
	 * A value.
	 */
	sealed interface Value {

		/** Writes the value in one of its spellings. */
		String write(Random random);

		/** Returns a copy that means something else. */
		Value changed(Random random);

	}

	private record Literal(String name) implements Value {

		@Override
		public String write(Random random) {
			return space(random) + this.name + space(random);
		}

		@Override
		public Value changed(Random random) {
			return new Literal(this.name.equals("null") ? "false" : "null");
		}

	}

	private record Text(String text) implements Value {

		@Override
		public String write(Random random) {
			return space(random) + spell(this.text, random) + space(random);
		}

		@Override
		public Value changed(Random random) {
			return new Text(random.nextBoolean() ? this.text + " " : "x" + this.text);
		}

	}

	private record Number(BigDecimal value) implements Value {

		@Override
		public String write(Random random) {
			String spelling = switch (random.nextInt(4)) {
				case 0 -> this.value.toPlainString();
				case 1 -> this.value.toEngineeringString();
				case 2 -> this.value.setScale(this.value.scale() + random.nextInt(9) + 1).toString();
				default -> this.value.unscaledValue() + "e" + -this.value.scale();
			};
			return space(random) + (random.nextBoolean() ? spelling : spelling.replace('E', 'e')) + space(random);
		}

		@Override
		public Value changed(Random random) {
			return new Number(this.value.add(BigDecimal.ONE.movePointLeft(random.nextInt(20))));
		}

	}

	private record ArrayValue(List<Value> elements) implements Value {

		@Override
		public String write(Random random) {
			List<String> written = this.elements.stream().map((element) -> element.write(random)).toList();
			return space(random) + "[" + space(random) + String.join(",", written) + "]" + space(random);
		}

		@Override
		public Value changed(Random random) {
			List<Value> copy = new ArrayList<>(this.elements);
			if (copy.isEmpty() || random.nextInt(4) == 0) {
				copy.add(random.nextInt(copy.size() + 1), scalar(random));
			}
			else {
				int index = random.nextInt(copy.size());
				copy.set(index, copy.get(index).changed(random));
			}
			return new ArrayValue(copy);
		}

	}

	private record ObjectValue(Map<String, Value> members) implements Value {

		@Override
		public String write(Random random) {
			List<String> written = new ArrayList<>();
			this.members.forEach((name, value) -> written
				.add(space(random) + spell(name, random) + space(random) + ":" + value.write(random)));
			Collections.shuffle(written, random);
			return space(random) + "{" + space(random) + String.join(",", written) + "}" + space(random);
		}

		@Override
		public Value changed(Random random) {
			Map<String, Value> copy = new LinkedHashMap<>(this.members);
			List<String> names = new ArrayList<>(copy.keySet());
			if (names.isEmpty()) {
				copy.put("added", new Literal("null"));
				return new ObjectValue(copy);
			}
			String name = names.get(random.nextInt(names.size()));
			Value value = copy.remove(name);
			switch (random.nextInt(3)) {
				case 0 -> copy.put(name + "-renamed", value);
				case 1 -> copy.put(name, value.changed(random));
				default -> {
					// The member is gone
				}
			}
			return new ObjectValue(copy);
		}

	}

}
