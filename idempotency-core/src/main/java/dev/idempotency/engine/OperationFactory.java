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
package dev.idempotency.engine;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.exception.InvalidIdempotentException;

/**
 * Creates operations from annotations and defaults. Refuses invalid attributes.
 */
public final class OperationFactory {

	private final Defaults defaults;

	private final StringValueResolver placeholders;

	private final Predicate<String> businessManagers;

	/**
	 * Configured like Spring's own source: class proxies also intercept methods that are
	 * not public.
	 */
	private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

	private final Map<String, IdempotentOperation> operations = new ConcurrentHashMap<>();

	/**
	 * The methods by the names of their operations.
	 */
	private final Map<String, String> signatures = new ConcurrentHashMap<>();

	/**
	 * Creates a factory.
	 * @param defaults the settings for attributes that an annotation does not set
	 * @param placeholders resolves placeholders in attributes
	 * @param businessManagers tests whether a qualifier, empty for the default, names the
	 * transaction manager of the business rows
	 */
	public OperationFactory(Defaults defaults, StringValueResolver placeholders, Predicate<String> businessManagers) {
		this.defaults = defaults;
		this.placeholders = placeholders;
		this.businessManagers = businessManagers;
		this.transactions.setEmbeddedValueResolver(placeholders);
	}

	/**
	 * Returns the transaction that a method declares.
	 * @param method the method
	 * @param type the class of its bean
	 * @return its attributes, with placeholders resolved; {@code null} if it declares
	 * none
	 */
	public @Nullable TransactionAttribute transaction(Method method, Class<?> type) {
		return this.transactions.getTransactionAttribute(method, type);
	}

	/**
	 * Refuses a transaction that would commit apart from the response.
	 * @param transaction the transaction that a method declares
	 * @param where the annotated method, for messages
	 * @throws InvalidIdempotentException if it belongs to another transaction manager
	 */
	public void requireBusinessManager(TransactionAttribute transaction, String where) {
		String name = Objects.requireNonNullElse(transaction.getQualifier(), "");
		if (!this.businessManagers.test(name)) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " has the "
							+ (name.isEmpty() ? "default transaction manager" : "transaction manager '" + name + "'")
							+ ", and its response is stored by another one.",
					name.isEmpty()
							? "Name the one of idempotency.transaction-manager in @Transactional, or make it primary."
							: "Set idempotency.transaction-manager=" + name + " if the business rows are there. "
									+ "Otherwise remove it, and write there in a staged job or in Phases.foreign.");
		}
	}

	/**
	 * Creates an operation.
	 * @param method the annotated method
	 * @param annotation the annotation
	 * @return the operation
	 * @throws InvalidIdempotentException if an attribute is invalid, or another method
	 * has the same name
	 */
	public IdempotentOperation create(AnnotatedMethod method, Idempotent annotation) {
		return create(method, annotation, this.defaults);
	}

	/**
	 * Creates an operation of a message listener, in whose scope the keys of its messages
	 * are unique.
	 * @param method the annotated method
	 * @param annotation the annotation
	 * @param ttl the time to live unless the annotation sets it
	 * @return the operation
	 * @throws InvalidIdempotentException if an attribute is invalid
	 */
	public IdempotentOperation createListener(AnnotatedMethod method, Idempotent annotation, Duration ttl) {
		return create(method, annotation, new Defaults(Scope.ENDPOINT, Mode.TRANSACTIONAL, this.defaults.required(),
				ttl, this.defaults.clientErrorTtl()));
	}

	private IdempotentOperation create(AnnotatedMethod method, Idempotent annotation, Defaults other) {
		String where = method.where();
		Scope scope = (annotation.scope() != Scope.DEFAULT) ? annotation.scope() : other.scope();
		Mode mode = (annotation.mode() != Mode.DEFAULT) ? annotation.mode() : other.mode();
		boolean required = (annotation.required() != Required.DEFAULT) ? annotation.required() == Required.TRUE
				: other.required();
		String id = resolve(annotation.id(), "id", where);
		String key = resolve(annotation.key(), "key", where);
		Duration ttl = ttl(annotation, where, other.ttl());
		IdempotentOperation operation = new IdempotentOperation(id.isEmpty() ? method.name() : id,
				key.isEmpty() ? null : key, scope, resource(annotation, scope, where), ttl, other.clientErrorTtl(ttl),
				required, mode, annotation.replay());
		requireUnique(operation.name(), method);
		this.operations.put(operation.name(), operation);
		return operation;
	}

	private void requireUnique(String name, AnnotatedMethod method) {
		String other = this.signatures.putIfAbsent(name, method.signature());
		if (other != null && !other.equals(method.signature())) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + method.where() + " is on two methods with the name '" + name + "': " + other
							+ " and " + method.signature() + ". Their records could not be distinguished, since a name "
							+ "is stored without parameter types.",
					"Give each an id: @Idempotent(id = \"invoice.pay\"); or rename one of the methods.");
		}
	}

	/**
	 * Replaces an operation by one with changed settings.
	 * @param operation the operation, under its original name
	 * @return the operation
	 */
	public IdempotentOperation replace(IdempotentOperation operation) {
		this.operations.put(operation.name(), operation);
		return operation;
	}

	/**
	 * Returns all operations created so far. Once the application has started, all
	 * annotated methods are among them.
	 * @return a copy
	 */
	public List<IdempotentOperation> all() {
		return List.copyOf(this.operations.values());
	}

	/**
	 * Finds an operation that was created.
	 * @param name its name
	 * @return the operation, empty if no annotated method has this name
	 */
	public Optional<IdempotentOperation> find(String name) {
		return Optional.ofNullable(this.operations.get(name));
	}

	private String resource(Idempotent annotation, Scope scope, String where) {
		String resource = resolve(annotation.resource(), "resource", where);
		if (scope == Scope.RESOURCE && resource.isEmpty()) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " has scope RESOURCE and no resource.",
					"Name the resource type whose endpoints share their keys: "
							+ "@Idempotent(scope = Scope.RESOURCE, resource = \"payments\").");
		}
		if (scope != Scope.RESOURCE && !resource.isEmpty()) {
			throw new InvalidIdempotentException("@Idempotent on " + where + " names the resource '" + resource
					+ "', but its scope is " + scope + ".", "Add scope = Scope.RESOURCE, or remove the resource.");
		}
		return resource;
	}

	private Duration ttl(Idempotent annotation, String where, Duration other) {
		String value = resolve(annotation.ttl(), "ttl", where);
		if (value.isEmpty()) {
			return other;
		}
		Duration ttl = parse(value);
		if (ttl == null || ttl.isNegative() || ttl.isZero() || ttl.compareTo(Duration.ofDays(3650)) > 0) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " has the ttl '" + value + "', which is not a valid time to live.",
					"Write a duration of at most ten years with its unit, such as 24h, 72h or PT30M.");
		}
		return ttl;
	}

	/**
	 * Parses a duration. A number without a unit would be milliseconds, where its author
	 * most likely meant seconds.
	 */
	private static @Nullable Duration parse(String value) {
		try {
			return Character.isDigit(value.charAt(value.length() - 1)) ? null
					: DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			return null;
		}
	}

	private String resolve(String value, String attribute, String where) {
		if (!StringUtils.hasLength(value)) {
			return "";
		}
		try {
			String resolved = this.placeholders.resolveStringValue(value);
			return (resolved != null) ? resolved.trim() : "";
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidIdempotentException(
					"@Idempotent on " + where + " has the " + attribute + " '" + value
							+ "', whose placeholder has no value.",
					"Define the property, or give the placeholder a default as in ${name:default}.");
		}
	}

	/**
	 * The defaults for attributes that an annotation does not set.
	 *
	 * @param scope the scope
	 * @param mode the mode
	 * @param required whether a key is required
	 * @param ttl the time for which responses are kept
	 * @param clientErrorTtl the longest time for which a response with a 4xx status is
	 * kept, {@code null} for as long as any other
	 */
	public record Defaults(Scope scope, Mode mode, boolean required, Duration ttl, @Nullable Duration clientErrorTtl) {

		/**
		 * Returns the time for which a response with a 4xx status is kept.
		 * @param other the time for any other response
		 * @return the shorter time
		 */
		public Duration clientErrorTtl(Duration other) {
			return (this.clientErrorTtl != null && this.clientErrorTtl.compareTo(other) < 0) ? this.clientErrorTtl
					: other;
		}

	}

	/**
	 * A method to which {@link Idempotent} applies.
	 *
	 * @param name the name of its operation unless the annotation has an id; it stands in
	 * tables, and survives a change of the parameters
	 * @param signature class, method and parameter types, which distinguish two methods
	 * of one name
	 * @param where class and method, for messages
	 */
	public record AnnotatedMethod(String name, String signature, String where) {

		/**
		 * Describes a method whose operation is named after class and method.
		 * @param method the method
		 * @param type the class of its bean
		 * @return the method
		 */
		public static AnnotatedMethod of(Method method, Class<?> type) {
			String name = type.getName() + "#" + method.getName();
			return new AnnotatedMethod(name, name + Arrays.toString(method.getParameterTypes()),
					type.getSimpleName() + "#" + method.getName());
		}

		/**
		 * Returns this method with another name of its operation.
		 * @param other the name
		 * @param place class and method as messages have them
		 * @return the method
		 */
		public AnnotatedMethod withName(String other, String place) {
			return new AnnotatedMethod(other, this.signature, place);
		}

	}

}
