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
package dev.idempotency.aop;

import java.lang.reflect.Method;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import dev.idempotency.InvalidIdempotentException;

/**
 * The SpEL expression of {@link dev.idempotency.Idempotent#key()}.
 */
public final class KeyExpression {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private final Expression expression;

	/**
	 * Parse an expression.
	 * @param expression the expression
	 * @param where the annotated method, for messages
	 * @throws InvalidIdempotentException if it does not parse
	 */
	public KeyExpression(String expression, String where) {
		try {
			this.expression = new SpelExpressionParser().parseExpression(expression);
		}
		catch (ParseException ex) {
			throw new InvalidIdempotentException(
					"The key of @Idempotent on " + where + " does not parse: " + ex.getSimpleMessage() + ".",
					"Write a SpEL expression over the arguments, such as \"#command.id()\" or \"#p0\".");
		}
	}

	/**
	 * Evaluate the expression.
	 * @param target the bean
	 * @param method the invoked method
	 * @param arguments the arguments
	 * @return the key, {@code null} if the expression gives {@code null}
	 */
	public @Nullable String evaluate(@Nullable Object target, Method method, @Nullable Object[] arguments) {
		Object value = this.expression
			.getValue(new MethodBasedEvaluationContext((target != null) ? target : method, method, arguments, NAMES));
		return (value != null) ? value.toString() : null;
	}

	/**
	 * Evaluate the expression without an invocation.
	 * @param variables what its variables stand for
	 * @return the key, {@code null} if the expression gives {@code null}
	 */
	public @Nullable String evaluate(Map<String, @Nullable Object> variables) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		variables.forEach(context::setVariable);
		Object value = this.expression.getValue(context);
		return (value != null) ? value.toString() : null;
	}

}
