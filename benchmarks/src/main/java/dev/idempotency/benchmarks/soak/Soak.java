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

package dev.idempotency.benchmarks.soak;

import java.util.Locale;

import dev.idempotency.benchmarks.app.MeasuredApplication;
import dev.idempotency.benchmarks.load.Variant;

/**
 * A load on one of the tables that are empty most of the time.
 */
public enum Soak {

	/** A handler whose service commits on its own. */
	LEASED(SoakApplication.LEASED),

	/** A local phase, a foreign one, and the last. */
	PHASES(SoakApplication.PHASES),

	/** A job staged by each request, and run. */
	JOBS(SoakApplication.JOBS),

	/** An event published by each request, and relayed. */
	OUTBOX(SoakApplication.OUTBOX);

	/** The arguments that start the handlers in a measured application. */
	public static final String[] ARGUMENTS = { "--spring.main.sources=" + SoakApplication.class.getName(),
			"--idempotency.outbox.enabled=true" };

	private final String path;

	Soak(String path) {
		this.path = path;
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

	public Variant variant(MeasuredApplication application) {
		return Variant.fresh(toString(), application).at(this.path);
	}

}
