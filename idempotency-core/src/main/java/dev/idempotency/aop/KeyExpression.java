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
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import dev.idempotency.engine.identity.DeclaredText;
import dev.idempotency.engine.identity.DeclaredText.UndeclaredTextException;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.exception.MalformedKeyException;

/**
 * The SpEL expression of {@link dev.idempotency.Idempotent#key()}, or of another
 * annotation whose value identifies something.
 */
public final class KeyExpression {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private static final Set<String> BUILT_IN = Set.of("this", "root");

	/**
	 * Variables of an expression that is evaluated for each message of a batch.
	 */
	static final Set<String> OF_MESSAGES = Set.of("payload", "message");

	private final SpelExpression expression;

	private final String subject;

	private final String correction;

	/**
	 * Parses an expression.
	 * @param expression the expression
	 * @param where the annotated method, for messages
	 * @throws InvalidIdempotentException if it does not parse
	 */
	public KeyExpression(String expression, String where) {
		this(expression, "The key of @Idempotent on " + where,
				"Write a SpEL expression over the arguments, such as \"#command.id()\" or \"#p0\".");
	}

	/**
	 * Parses an expression of another annotation.
	 * @param expression the expression
	 * @param subject the attribute and its place, for messages
	 * @param correction an expression to write instead, for messages
	 * @throws InvalidIdempotentException if it does not parse
	 */
	public KeyExpression(String expression, String subject, String correction) {
		this.subject = subject;
		this.correction = correction;
		try {
			this.expression = (SpelExpression) new SpelExpressionParser().parseExpression(expression);
		}
		catch (ParseException ex) {
			throw invalid("does not parse: " + ex.getSimpleMessage());
		}
	}

	private InvalidIdempotentException invalid(String fault) {
		return new InvalidIdempotentException(this.subject + " " + fault + ".", this.correction);
	}

	/**
	 * Refuses variables that have no value in any call of a method.
	 * @param method the annotated method, with its parameters
	 * @param others the permitted variables that are not parameters
	 * @throws InvalidIdempotentException if the expression has such a variable
	 */
	public void requireKnownVariables(Method method, Set<String> others) {
		Set<String> known = new LinkedHashSet<>();
		@Nullable String @Nullable [] names = NAMES.getParameterNames(method);
		if (names != null) {
			known.addAll(Arrays.asList(names));
		}
		String example = known.isEmpty() ? "#p0" : "#" + String.join(", #", known);
		for (int i = 0; i < method.getParameterCount(); i++) {
			known.addAll(List.of("p" + i, "a" + i));
		}
		known.addAll(others);
		for (String variable : variables()) {
			if (!known.contains(variable)) {
				throw new InvalidIdempotentException(
						this.subject + " has the variable #" + variable + ", which is not a parameter of the method.",
						(method.getParameterCount() == 0)
								? "The method has no parameters: remove the variable, or add the parameter."
								: "Write one of its parameters: " + example + ((names != null) ? "."
										: ", or compile with -parameters to use their names."));
			}
		}
	}

	private Set<String> variables() {
		Set<String> variables = new LinkedHashSet<>();
		collectVariables(this.expression.getAST(), variables);
		return variables;
	}

	private static void collectVariables(SpelNode node, Set<String> variables) {
		if (node instanceof VariableReference) {
			String name = node.toStringAST().substring(1);
			if (!BUILT_IN.contains(name)) {
				variables.add(name);
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			collectVariables(node.getChild(i), variables);
		}
	}

	/**
	 * Evaluates the expression.
	 * @param target the bean
	 * @param method the invoked method
	 * @param arguments the arguments
	 * @return the key, {@code null} if the value is {@code null} or an empty
	 * {@link java.util.Optional}
	 * @throws InvalidIdempotentException if the type of a value declares no text
	 * @throws MalformedKeyException if the expression joins texts that are too long
	 */
	public @Nullable String evaluate(@Nullable Object target, Method method, @Nullable Object[] arguments) {
		return evaluate(new MethodBasedEvaluationContext((target != null) ? target : method, method, arguments, NAMES));
	}

	/**
	 * Evaluates the expression without an invocation.
	 * @param variables the values of its variables
	 * @return the key, {@code null} if the value is {@code null} or an empty
	 * {@link java.util.Optional}
	 * @throws InvalidIdempotentException if the type of a value declares no text
	 * @throws MalformedKeyException if the expression joins texts that are too long
	 */
	public @Nullable String evaluate(Map<String, @Nullable Object> variables) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		variables.forEach(context::setVariable);
		return evaluate(context);
	}

	/**
	 * Evaluates the expression over an object. An expression without a value is a
	 * mistake.
	 * @param root the object
	 * @return the value
	 * @throws InvalidIdempotentException if the expression cannot be evaluated, has no
	 * value, or the type of a value declares no text
	 * @throws MalformedKeyException if the expression joins texts that are too long
	 */
	public String require(Object root) {
		String value;
		try {
			value = evaluate(new StandardEvaluationContext(root));
		}
		catch (SpelEvaluationException ex) {
			throw invalid("cannot be evaluated: " + ex.getSimpleMessage());
		}
		if (value == null) {
			throw invalid("has no value");
		}
		return value;
	}

	private @Nullable String evaluate(StandardEvaluationContext context) {
		context.setTypeConverter(DeclaredText.operands());
		try {
			return DeclaredText.of(this.expression.getValue(context));
		}
		catch (UndeclaredTextException ex) {
			throw new InvalidIdempotentException(
					this.subject + " has " + ex.getMessage() + ", so that a retry may have another one.",
					"Write an expression of texts, numbers, UUIDs, enums, dates, or records with one of them, such as "
							+ "\"#command.id()\".");
		}
		catch (SpelEvaluationException ex) {
			if (ex.getMessageCode() == SpelMessage.MAX_CONCATENATED_STRING_LENGTH_EXCEEDED) {
				throw DeclaredText.tooLong();
			}
			throw ex;
		}
	}

}
