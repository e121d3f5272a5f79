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
package dev.idempotency.messaging;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.IdempotentOperation;
import dev.idempotency.aop.AnnotatedOperation;
import dev.idempotency.aop.ClaimedBody;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.aop.OperationProtection;
import dev.idempotency.engine.ClaimRequest;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.OperationCalls;
import dev.idempotency.engine.RequestBatch;
import dev.idempotency.engine.RequestBatch.RefusedRequestException;
import dev.idempotency.engine.RequestBatch.Work;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.engine.Rethrow;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.KeyReusedException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.store.Identity;

/**
 * Executes each message once. The container calls its listener with a message that is
 * bound to the thread; the aspect around the listener method takes the key from there.
 * The container acknowledges the message after its listener has returned.
 * <p>
 * The messages of a batch are claimed together, and those that were not processed before
 * are passed to the method. Its effects and a record for each message are one commit.
 */
public final class Inbox implements OperationProtection.Listeners {

	/**
	 * The stored response of a message in a batch: a return value belongs to no single
	 * message.
	 */
	private static final StoredResponse PROCESSED = new StoredResponse(0, List.of(),
			"null".getBytes(StandardCharsets.UTF_8));

	/** The delivery of a container, until it calls the listener's method. */
	private final ThreadLocal<@Nullable Delivery> current = new ThreadLocal<>();

	private final IdempotencyOperations operations;

	private final IdempotencyEngine engine;

	private final OperationCalls calls;

	private final RequestTransactions transactions;

	private final MessageKeyResolver keys;

	private final MessageContent contents;

	private final Duration ttl;

	/**
	 * Creates an inbox.
	 * @param operations executes single messages
	 * @param engine claims the messages of a batch
	 * @param calls creates the calls of a batch
	 * @param transactions leaves no transaction of a listener on its thread
	 * @param keys resolves the keys of messages
	 * @param contents the content that distinguishes messages
	 * @param ttl the time that messages are remembered unless the annotation sets it
	 */
	public Inbox(IdempotencyOperations operations, IdempotencyEngine engine, OperationCalls calls,
			RequestTransactions transactions, MessageKeyResolver keys, MessageContent contents, Duration ttl) {
		this.operations = operations;
		this.engine = engine;
		this.calls = calls;
		this.transactions = transactions;
		this.keys = keys;
		this.contents = contents;
		this.ttl = ttl;
	}

	@Override
	public Duration ttl() {
		return this.ttl;
	}

	/**
	 * Returns whether the container calls a method, and not the listener itself.
	 */
	@Override
	public boolean isListening(AnnotatedOperation operation) {
		Delivery delivery = this.current.get();
		return delivery != null && operation.type() == delivery.listener().type();
	}

	/**
	 * Calls the method once: a second call would get what the first has changed.
	 */
	@Override
	public @Nullable Object invoke(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable {
		Delivery delivery = Objects.requireNonNull(this.current.get(), "No message is bound to the thread");
		this.current.remove();
		try {
			return delivery.call().run(operation, invocation);
		}
		finally {
			this.current.set(new Delivery(delivery.listener(), Inbox::refuseSecondCall));
		}
	}

	private static @Nullable Object refuseSecondCall(AnnotatedOperation operation, MethodInvocation invocation) {
		throw new IllegalStateException("The message was already passed to " + operation.settings().name()
				+ ". Leave retries to the container's error handling, which calls the whole listener again.");
	}

	/**
	 * Passes a message to a listener. It is executed like a call of any bean. The
	 * container receives the return value for a duplicate as well: a reply that may not
	 * have been sent is sent again.
	 * @param listener the listener
	 * @param message the message
	 * @param kept keeps what the listener settles, {@code null} if the container
	 * acknowledges
	 * @param call calls the container's listener, and may throw its exception
	 */
	void deliver(InboxListener listener, IncomingMessage message, @Nullable KeptSettlements kept,
			CheckedRunnable call) {
		boolean returned = false;
		try {
			bind(new Delivery(listener,
					(operation, invocation) -> execute(listener, message, kept, operation, invocation)), call);
			returned = true;
		}
		finally {
			if (kept != null) {
				kept.listenerEnded(returned);
			}
		}
	}

	private @Nullable Object execute(InboxListener listener, IncomingMessage message, @Nullable KeptSettlements kept,
			AnnotatedOperation operation, MethodInvocation invocation) throws Throwable {
		KeyExpression expression = operation.key();
		String key = (expression != null)
				? expression.evaluate(invocation.getThis(), operation.method(), invocation.getArguments())
				: this.keys.resolve(message);
		IdempotencyRequest request = request(listener, message, operation, key);
		if (request == null) {
			return invocation.proceed();
		}
		Work work = () -> ClaimedBody.proceed(invocation);
		try {
			return operation.execute(this.operations, request, (kept != null) ? kept.around(work) : work);
		}
		catch (KeptSettlements.RejectedException ex) {
			return null;
		}
	}

	/**
	 * Passes the messages of a batch that were not processed before to a listener, if
	 * there are any.
	 * @param listener the listener
	 * @param messages the messages, at most {@link #maxBatch()}
	 * @param reader reads a message; an exception belongs to that message
	 * @param call calls the container's listener with some of the messages
	 * @throws RefusedRequestException if a message cannot be executed; the listener is
	 * not called, and nothing is held then
	 */
	<M> void deliverAll(InboxListener listener, List<M> messages, Function<M, IncomingMessage> reader,
			Consumer<List<M>> call) {
		BitSet fresh = new BitSet();
		Map<Identity, ClaimRequest> claimed = new LinkedHashMap<>();
		List<Integer> places = new ArrayList<>();
		for (int place = 0; place < messages.size(); place++) {
			ClaimRequest message = create(listener, place, messages.get(place), reader);
			ClaimRequest other = (message != null) ? claimed.putIfAbsent(message.identity(), message) : null;
			if (message == null) {
				fresh.set(place);
			}
			else if (other == null) {
				places.add(place);
			}
			else if (!message.fingerprint().matches(other.fingerprint().bytes())) {
				throw new RefusedRequestException(place, new KeyReusedException());
			}
		}
		if (claimed.isEmpty()) {
			bind(new Delivery(listener, (operation, invocation) -> invocation.proceed()), () -> call.accept(messages));
			return;
		}
		RequestBatch batch = claim(List.copyOf(claimed.values()), places, listener.maxWait());
		try {
			for (int index = 0; index < places.size(); index++) {
				if (batch.isExecution(index)) {
					fresh.set(places.get(index));
				}
			}
			if (!fresh.isEmpty()) {
				bind(new Delivery(listener,
						(operation, invocation) -> batch.run(this.transactions.detectLeaks(operation.settings().name()),
								() -> ClaimedBody.proceed(invocation), PROCESSED)),
						() -> call.accept(fresh.stream().mapToObj(messages::get).toList()));
			}
		}
		finally {
			// If the listener method was not reached.
			batch.release();
		}
	}

	/**
	 * Returns the largest number of messages that are executed together.
	 */
	int maxBatch() {
		return this.engine.maxBatch();
	}

	private <M> @Nullable ClaimRequest create(InboxListener listener, int place, M received,
			Function<M, IncomingMessage> reader) {
		try {
			IncomingMessage message = reader.apply(received);
			KeyExpression expression = listener.batch().key();
			String key = (expression != null) ? expression.evaluate(variables(message)) : this.keys.resolve(message);
			IdempotencyRequest request = request(listener, message, listener.batch(), key);
			return (request != null) ? this.calls.create(request, ClaimRequest.EffectCommits.ONCE) : null;
		}
		catch (RuntimeException ex) {
			throw new RefusedRequestException(place, ex);
		}
	}

	/**
	 * The arguments of a batch are made from all messages, so that an expression has
	 * these instead.
	 */
	private static Map<String, @Nullable Object> variables(IncomingMessage message) {
		Map<String, @Nullable Object> variables = new HashMap<>();
		variables.put("message", message);
		variables.put("payload", message.payload());
		return variables;
	}

	private RequestBatch claim(List<ClaimRequest> claimed, List<Integer> places, Duration maxWait) {
		try {
			return this.engine.claimAll(claimed, maxWait);
		}
		catch (RefusedRequestException ex) {
			throw new RefusedRequestException(places.get(ex.index()), ex.reason());
		}
	}

	/**
	 * Creates the request of a message.
	 * @return the request, {@code null} if the message has no key and needs none
	 */
	private @Nullable IdempotencyRequest request(InboxListener listener, IncomingMessage message,
			AnnotatedOperation operation, @Nullable String key) {
		IdempotentOperation settings = operation.settings();
		if (key == null || key.isBlank()) {
			if (settings.required()) {
				throw new MissingKeyException("A message of " + message.source() + " for " + listener.name()
						+ " has no key. Send it with the headers ce_id and ce_source, with a message-id, or with one of "
						+ "idempotency.messaging.key-headers; or name the key: "
						+ "@Idempotent(key = \"#payload.id()\"); or let such messages run unprotected: "
						+ "@Idempotent(required = Required.FALSE).");
			}
			return null;
		}
		Object content = this.contents.of(message);
		if (content instanceof CharSequence text) {
			content = text.toString().getBytes(StandardCharsets.UTF_8);
		}
		boolean own = operation.annotation().scope() != Scope.DEFAULT;
		// Missing content would not be compared, and the content of a tombstone has to
		// be.
		return new IdempotencyRequest(listener.name(), key, (content != null) ? content : List.of(),
				own ? settings.scope() : Scope.RESOURCE, own ? settings.resource() : listener.scope(message.source()),
				settings.ttl(), null, listener.maxWait());
	}

	private void bind(Delivery delivery, CheckedRunnable call) {
		this.current.set(delivery);
		try {
			call.run();
		}
		catch (Exception ex) {
			throw Rethrow.unchecked(ex);
		}
		finally {
			this.current.remove();
		}
	}

	/**
	 * An action that may throw a checked exception.
	 */
	@FunctionalInterface
	interface CheckedRunnable {

		void run() throws Exception;

	}

	/**
	 * Runs a listener method, unless its messages were processed before.
	 */
	@FunctionalInterface
	private interface MethodCall {

		@Nullable Object run(AnnotatedOperation operation, MethodInvocation invocation) throws Throwable;

	}

	private record Delivery(InboxListener listener, MethodCall call) {
	}

}
