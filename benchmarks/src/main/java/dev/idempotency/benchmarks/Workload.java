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
package dev.idempotency.benchmarks;

import java.nio.charset.StandardCharsets;

/**
 * A request body.
 *
 * @param contentType its media type
 * @param body the bytes
 */
record Workload(String contentType, byte[] body) {

	private static final int LARGE = 64 * 1024;

	private static final String BOUNDARY = "benchmark-boundary";

	/** A payment as clients send it. */
	static final Workload PAYMENT = payment(5000, "");

	/** Another payment, for a key that has been used. */
	static final Workload OTHER_PAYMENT = payment(5001, "");

	/** A payment with a note of 64 KB, which the answer repeats. */
	static final Workload LARGE_PAYMENT = payment(5000, "n".repeat(LARGE));

	/** A payment whose form carries a file of 64 KB. */
	static final Workload FORM = new Workload("multipart/form-data; boundary=" + BOUNDARY,
			bytes("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"amountCents\"\r\n\r\n5000\r\n--"
					+ BOUNDARY + "\r\nContent-Disposition: form-data; name=\"receipt\"; filename=\"receipt.txt\"\r\n"
					+ "Content-Type: application/octet-stream\r\n\r\n" + "f".repeat(LARGE) + "\r\n--" + BOUNDARY
					+ "--\r\n"));

	private static Workload payment(int amountCents, String note) {
		return new Workload("application/json", bytes("{\"amountCents\":" + amountCents
				+ ",\"currency\":\"usd\",\"cardToken\":\"tok_visa\",\"note\":\"" + note + "\"}"));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
