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
package dev.idempotency.benchmarks.load;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A request body.
 *
 * @param contentType its media type
 * @param body the bytes
 */
public record Workload(String contentType, byte[] body) {

	private static final int LARGE = 64 * 1024;

	private static final String BOUNDARY = "benchmark-boundary";

	/** A payment as clients send it. */
	static final Workload PAYMENT = payment(5000, "\"\"");

	/** Another payment, for a key that has been used. */
	static final Workload OTHER_PAYMENT = payment(5001, "\"\"");

	/**
	 * A payment with a note of 64 KB that compresses as text does, which the answer
	 * repeats.
	 */
	public static final Workload LARGE_PAYMENT = payment(5000, "\"" + text(LARGE) + "\"");

	/**
	 * A payment with 545 small objects, 64 KB together, which the answer repeats.
	 */
	public static final Workload LARGE_OBJECTS = payment(5000, objects(545));

	/** A payment whose form carries a file of 64 KB. */
	public static final Workload FORM = new Workload("multipart/form-data; boundary=" + BOUNDARY,
			bytes("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"amountCents\"\r\n\r\n5000\r\n--"
					+ BOUNDARY + "\r\nContent-Disposition: form-data; name=\"receipt\"; filename=\"receipt.txt\"\r\n"
					+ "Content-Type: application/octet-stream\r\n\r\n" + "f".repeat(LARGE) + "\r\n--" + BOUNDARY
					+ "--\r\n"));

	private static Workload payment(int amountCents, String note) {
		return new Workload("application/json", bytes("{\"amountCents\":" + amountCents
				+ ",\"currency\":\"usd\",\"cardToken\":\"tok_visa\",\"note\":" + note + "}"));
	}

	/**
	 * Lines of an order, the same in each run, with their members in no order.
	 */
	private static String objects(int number) {
		Random random = new Random(2);
		return IntStream.range(0, number)
			.mapToObj((
					i) -> "{\"sku\":\"%s-%05d\",\"quantity\":%d,\"priceCents\":%d,\"name\":\"%s %s\",\"gift\":%b,\"tax\":0.19}"
						.formatted(word(random), i, 1 + random.nextInt(9), random.nextInt(100_000), word(random),
								word(random), random.nextBoolean()))
			.collect(Collectors.joining(",", "[", "]"));
	}

	/**
	 * Words of random letters, the same in each run: not one byte repeated, which a
	 * database may compress to nothing.
	 */
	private static String text(int length) {
		Random random = new Random(1);
		List<String> words = Stream.generate(() -> word(random)).limit(500).toList();
		StringBuilder text = new StringBuilder();
		while (text.length() < length) {
			text.append(words.get(random.nextInt(words.size()))).append(' ');
		}
		return text.substring(0, length);
	}

	private static String word(Random random) {
		return random.ints(3 + random.nextInt(7), 'a', 'z' + 1)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
