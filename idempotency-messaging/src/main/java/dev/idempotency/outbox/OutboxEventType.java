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
package dev.idempotency.outbox;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import dev.idempotency.engine.identity.DeclaredText;
import dev.idempotency.engine.identity.DeclaredText.UndeclaredTextException;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * The values of an {@link OutboxEvent} annotation.
 *
 * @param destination the destination of events
 * @param type the type of events
 * @param key their ordering key
 * @param id their ids
 */
record OutboxEventType(String destination, @Nullable String type, @Nullable Expression key, @Nullable Expression id) {

	static OutboxEventType of(Class<?> payloadType, PropertyResolver properties) {
		OutboxEvent annotation = AnnotatedElementUtils.findMergedAnnotation(payloadType, OutboxEvent.class);
		if (annotation == null) {
			throw new IllegalArgumentException(payloadType.getName() + " has no @OutboxEvent");
		}
		String type = properties.resolveRequiredPlaceholders(annotation.type());
		return new OutboxEventType(properties.resolveRequiredPlaceholders(annotation.destination()),
				type.isEmpty() ? null : type, parse(annotation.key(), "key", payloadType),
				parse(annotation.id(), "id", payloadType));
	}

	private static @Nullable Expression parse(String expression, String attribute, Class<?> payloadType) {
		if (expression.isEmpty()) {
			return null;
		}
		try {
			return new SpelExpressionParser().parseExpression(expression);
		}
		catch (ParseException ex) {
			throw invalid(attribute, payloadType, "does not parse: " + ex.getSimpleMessage());
		}
	}

	OutboxMessage toMessage(Object payload) {
		return new OutboxMessage(this.destination, payload, evaluate(this.key, "key", payload), this.type,
				evaluate(this.id, "id", payload), Map.of());
	}

	/**
	 * An expression without a value is a mistake, not an event without an order.
	 */
	private static @Nullable String evaluate(@Nullable Expression expression, String attribute, Object payload) {
		if (expression == null) {
			return null;
		}
		SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
			.withInstanceMethods()
			.withTypeConverter(DeclaredText.operands())
			.withRootObject(payload)
			.build();
		try {
			String text = DeclaredText.of(expression.getValue(context));
			if (text != null) {
				return text;
			}
		}
		catch (UndeclaredTextException ex) {
			throw invalid(attribute, payload.getClass(), "has " + ex.getMessage());
		}
		catch (EvaluationException ex) {
			throw invalid(attribute, payload.getClass(), "cannot be evaluated: " + ex.getSimpleMessage());
		}
		throw invalid(attribute, payload.getClass(), "has no value");
	}

	private static InvalidIdempotentException invalid(String attribute, Class<?> payloadType, String fault) {
		return new InvalidIdempotentException(
				"The " + attribute + " of @OutboxEvent on " + payloadType.getName() + " " + fault + ".",
				"Write a SpEL expression over the event, such as \"orderId()\".");
	}

}
