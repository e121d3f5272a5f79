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

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import dev.idempotency.benchmarks.HttpConnection.Reply;

/**
 * A kind of request that is measured.
 *
 * @param name its name in the tables
 * @param port where the application listens
 * @param path the path
 * @param keys gives the key of the next request
 * @param body the body
 * @param expected what every reply has to be: what answers otherwise is not measured but
 * a failure
 */
record Variant(String name, int port, String path, Supplier<String> keys, String body, Reply expected) {

	static final String BODY = "{\"amountCents\":5000,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}";

	static final String OTHER_BODY = "{\"amountCents\":5001,\"currency\":\"usd\",\"cardToken\":\"tok_visa\"}";

	static final String BLOCKED_KEY = "blocked";

	private static final Reply CREATED = new Reply(201, false);

	static Variant unprotected(MeasuredApplication application) {
		return new Variant("unprotected", application.port(), PaymentController.UNPROTECTED, newKeys(), BODY, CREATED);
	}

	static Variant fresh(String name, MeasuredApplication application) {
		return new Variant(name, application.port(), PaymentController.PROTECTED, newKeys(), BODY, CREATED);
	}

	static Variant replay(String name, MeasuredApplication application, long records) {
		return new Variant(name, application.port(), PaymentController.PROTECTED, knownKeys(records), BODY,
				new Reply(201, true));
	}

	static Variant mismatch(MeasuredApplication application, long records) {
		return new Variant("422 key-reused", application.port(), PaymentController.PROTECTED, knownKeys(records),
				OTHER_BODY, new Reply(422, false));
	}

	static Variant duplicate(MeasuredApplication application) {
		return new Variant("409 in-progress", application.port(), PaymentController.BLOCKED, () -> BLOCKED_KEY, BODY,
				new Reply(409, false));
	}

	private static Supplier<String> newKeys() {
		String run = UUID.randomUUID() + "-";
		AtomicLong next = new AtomicLong();
		return () -> run + next.incrementAndGet();
	}

	private static Supplier<String> knownKeys(long records) {
		return () -> RecordTable.key(ThreadLocalRandom.current().nextLong(records));
	}

}
