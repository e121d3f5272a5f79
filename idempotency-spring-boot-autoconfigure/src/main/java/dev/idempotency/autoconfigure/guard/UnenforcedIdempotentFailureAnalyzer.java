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
package dev.idempotency.autoconfigure.guard;

import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import dev.idempotency.exception.UnenforcedIdempotentException;

/**
 * Lists the operations that are not protected, with the reason.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnenforcedIdempotentFailureAnalyzer extends AbstractFailureAnalyzer<UnenforcedIdempotentException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnenforcedIdempotentException cause) {
		String operations = cause.getOperations().stream().map("\t- %s%n"::formatted).collect(Collectors.joining());
		return new FailureAnalysis("@Idempotent has no effect on:%n%n%s%n%s".formatted(operations, cause.getReason()),
				cause.getAction(), cause);
	}

}
