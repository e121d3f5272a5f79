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
package dev.idempotency.conformance.app;

import java.util.UUID;
import java.util.function.Consumer;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ClassUtils;

/**
 * A service as users write it: transactional, over JPA or over plain JDBC.
 */
public class Effects {

	private final Consumer<Effect> write;

	private final Runnable flush;

	Effects(Consumer<Effect> write, Runnable flush) {
		this.write = write;
		this.flush = flush;
	}

	/**
	 * Returns whether a row is sent to the database only when its transaction ends.
	 */
	public static boolean isFlushedAtCommit() {
		return ClassUtils.isPresent("jakarta.persistence.EntityManager", null);
	}

	@Transactional
	public Effect record(String label) {
		Effect effect = new Effect(UUID.randomUUID(), label);
		this.write.accept(effect);
		return effect;
	}

	/**
	 * As {@link #record}, with the row sent to the database at once.
	 */
	@Transactional
	public Effect recordAndFlush(String label) {
		Effect effect = record(label);
		this.flush.run();
		return effect;
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public Effect recordInNewTransaction(String label) {
		return record(label);
	}

}
