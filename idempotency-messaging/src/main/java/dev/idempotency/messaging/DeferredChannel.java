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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.Message;
import org.springframework.aop.support.AopUtils;

import dev.idempotency.engine.execution.Rethrow;

/**
 * Holds back the acknowledgements of a listener on a channel until the transaction of the
 * record has ended. With a crash in between, a message that was acknowledged earlier
 * would be lost.
 */
final class DeferredChannel implements InvocationHandler, IntPredicate {

	private static final Set<String> SETTLEMENTS = Set.of("basicAck", "basicNack", "basicReject");

	private final Channel channel;

	private final List<Message> given;

	private final Set<Long> settled = new HashSet<>();

	private final Set<Long> refused = new HashSet<>();

	private long settledUpTo;

	private long refusedUpTo;

	private @Nullable List<Settling> kept = new ArrayList<>();

	/**
	 * Defers acknowledgements.
	 * @param channel the channel of the container
	 * @param given the messages that are passed to the listener
	 */
	DeferredChannel(Channel channel, List<Message> given) {
		this.channel = channel;
		this.given = given;
	}

	/**
	 * Returns the channel for the listener.
	 */
	Channel proxy() {
		return (Channel) Proxy.newProxyInstance(Channel.class.getClassLoader(), new Class<?>[] { Channel.class }, this);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		if (arguments != null && SETTLEMENTS.contains(method.getName()) && keep(method, arguments)) {
			return null;
		}
		return call(method, arguments);
	}

	/**
	 * Settlements after {@link #flush} go to the broker immediately.
	 */
	private synchronized boolean keep(Method method, @Nullable Object[] arguments) {
		if (this.kept == null) {
			return false;
		}
		this.kept.add(new Settling(method, arguments));
		long tag = (Long) Objects.requireNonNull(arguments[0]);
		boolean refusal = !method.getName().equals("basicAck");
		boolean multiple = !method.getName().equals("basicReject") && Boolean.TRUE.equals(arguments[1]);
		if (multiple) {
			this.settledUpTo = Math.max(this.settledUpTo, tag);
			this.refusedUpTo = refusal ? Math.max(this.refusedUpTo, tag) : this.refusedUpTo;
		}
		else {
			this.settled.add(tag);
			if (refusal) {
				this.refused.add(tag);
			}
		}
		return true;
	}

	/**
	 * Returns whether the listener rejected a message, which must then not be recorded.
	 * @param index the index of the message in the listener's list
	 * @return whether it will be delivered again, or goes to a dead-letter queue
	 */
	@Override
	public synchronized boolean test(int index) {
		long tag = tag(this.given.get(index));
		return tag <= this.refusedUpTo || this.refused.contains(tag);
	}

	/**
	 * Forwards the settlements, since the transaction has ended. Later ones are forwarded
	 * immediately.
	 * @param skipped the messages that were not passed to the listener, and are to be
	 * acknowledged
	 */
	void flush(List<Message> skipped) {
		Set<Long> unseen = new HashSet<>();
		skipped.forEach((message) -> unseen.add(tag(message)));
		try {
			unseen.removeIf(this::isSettled);
			for (Settling settling : end()) {
				call(settling.method(), settling.arguments());
			}
			for (long tag : unseen) {
				this.channel.basicAck(tag, false);
			}
		}
		catch (Throwable ex) {
			throw Rethrow.unchecked(ex);
		}
	}

	/**
	 * Returns the acknowledged messages to the broker, since the transaction was rolled
	 * back: a container with manual acknowledgements would not request them again.
	 */
	void revoke() {
		try {
			for (Settling settling : end()) {
				if (settling.method().getName().equals("basicAck")) {
					this.channel.basicNack((Long) Objects.requireNonNull(settling.arguments()[0]),
							Boolean.TRUE.equals(settling.arguments()[1]), true);
				}
				else {
					call(settling.method(), settling.arguments());
				}
			}
		}
		catch (Throwable ex) {
			throw Rethrow.unchecked(ex);
		}
	}

	private synchronized boolean isSettled(long tag) {
		return tag <= this.settledUpTo || this.settled.contains(tag);
	}

	private synchronized List<Settling> end() {
		List<Settling> settlings = (this.kept != null) ? this.kept : List.of();
		this.kept = null;
		return settlings;
	}

	private @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(this.channel, method,
				(arguments != null) ? arguments : new Object[0]);
	}

	private static long tag(Message message) {
		return message.getMessageProperties().getDeliveryTag();
	}

	private record Settling(Method method, @Nullable Object[] arguments) {
	}

}
