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

package dev.idempotency.conformance.fuzz;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The declared return types, with what else of a mapping makes a difference.
 */
enum Shape {

	ENTITY, WILDCARD, OBJECT, VARIABLE, TEXT, VALUE, REASON, DIRECT, VIEW, MODEL, FORWARD, PICKED_BY_HEADER,
	PICKED_BY_PRODUCES, CALLABLE, FUTURE, DEFERRED, TASK;

	private static final Set<Shape> DECLARED_ASYNC = EnumSet.of(CALLABLE, FUTURE, DEFERRED, TASK);

	private static final Set<Shape> IN_PHASES = EnumSet.of(ENTITY, OBJECT, VALUE, DIRECT, VIEW);

	private static final Set<Shape> CONVERTED = EnumSet.of(ENTITY, WILDCARD, OBJECT, VARIABLE, VALUE);

	private static final Set<Shape> WITHOUT_RESULT = EnumSet.of(ENTITY, WILDCARD, OBJECT, VARIABLE, TEXT, DIRECT);

	private static final Set<Shape> FIXED_STATUS = EnumSet.of(VALUE, REASON);

	String segment() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	boolean isDeclaredAsync() {
		return DECLARED_ASYNC.contains(this);
	}

	boolean isInPhases() {
		return IN_PHASES.contains(this);
	}

	/**
	 * Returns whether a message converter writes the result: a value can fail there.
	 */
	boolean isConverted() {
		return CONVERTED.contains(this);
	}

	/**
	 * Returns whether the handler may end without a result, after {@code sendError}.
	 */
	boolean isEndedBySendError() {
		return WITHOUT_RESULT.contains(this);
	}

	boolean hasFixedStatus() {
		return FIXED_STATUS.contains(this);
	}

	/**
	 * Returns whether another handler on the same path is distinguished by a header.
	 */
	boolean isPicked() {
		return this == PICKED_BY_HEADER || this == PICKED_BY_PRODUCES;
	}

}
