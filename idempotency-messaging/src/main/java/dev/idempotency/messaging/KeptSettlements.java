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
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.ThrowingConsumer;

import dev.idempotency.engine.RequestBatch.Work;
import dev.idempotency.engine.Rethrow;

/**
 * The acknowledgements and rejections by which a listener settles its message, kept until
 * it has returned and the outermost transaction has ended: a message that was
 * acknowledged earlier would be lost if its transaction did not commit.
 */
final class KeptSettlements implements InvocationHandler, TransactionSynchronization {

	private static final Set<String> ACKNOWLEDGEMENTS = Set.of("acknowledge", "basicAck");

	private static final Set<String> REJECTIONS = Set.of("nack", "basicNack", "basicReject");

	private final List<Settlement> settlements = new ArrayList<>();

	private final Object target;

	private final Inbox.CheckedRunnable acknowledgement;

	private final ThrowingConsumer<@Nullable Object[]> withdrawal;

	/** The listener, and the transaction in which its message is executed. */
	private int awaited = 1;

	private boolean claimed;

	private boolean executed;

	private boolean failed;

	private boolean forwarded;

	/**
	 * Keeps settlements.
	 * @param target the acknowledgement or the channel of the container
	 * @param acknowledgement acknowledges a message that was processed before, as the
	 * listener would have done
	 * @param withdrawal takes back an acknowledgement, given its arguments, whose
	 * transaction was rolled back
	 */
	KeptSettlements(Object target, Inbox.CheckedRunnable acknowledgement,
			ThrowingConsumer<@Nullable Object[]> withdrawal) {
		this.target = target;
		this.acknowledgement = acknowledgement;
		this.withdrawal = withdrawal;
	}

	/**
	 * Returns what the listener gets instead of the target, with the same interfaces.
	 */
	<T> T proxy(Class<T> type) {
		ClassLoader loader = type.getClassLoader();
		return type.cast(Proxy.newProxyInstance(loader,
				ClassUtils.getAllInterfacesForClass(this.target.getClass(), loader), this));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		if (method.getName().equals("getTargetChannel")) {
			return proxy;
		}
		boolean rejection = REJECTIONS.contains(method.getName());
		Settlement call = new Settlement(method, (arguments != null) ? arguments : new Object[0], rejection);
		boolean keep = (rejection || ACKNOWLEDGEMENTS.contains(method.getName())) && keep(call);
		return keep ? null : call(call);
	}

	private synchronized boolean keep(Settlement settlement) {
		return this.settlements.add(settlement) && !this.forwarded;
	}

	/**
	 * Returns the execution of a message that is settled after its transaction. If the
	 * listener rejects it, its effects are rolled back.
	 * @param work calls the listener's method
	 * @return work that ends with a {@link RejectedException} then
	 */
	Work around(Work work) {
		this.claimed = true;
		return () -> {
			TransactionSynchronizationManager.registerSynchronization(this);
			this.executed = true;
			this.awaited++;
			Object value = work.run();
			if (isRejected()) {
				throw new RejectedException();
			}
			return value;
		};
	}

	private synchronized boolean isRejected() {
		return this.settlements.stream().anyMatch(Settlement::rejection);
	}

	@Override
	public void afterCompletion(int status) {
		ended(status == STATUS_COMMITTED);
	}

	/**
	 * Ends the call of the listener. What a method without protection has settled is
	 * forwarded, even if it has failed.
	 */
	void listenerEnded(boolean returned) {
		ended(returned || !this.claimed);
	}

	private void ended(boolean successful) {
		this.failed |= !successful;
		this.awaited--;
		if (this.awaited == 0) {
			forward();
		}
	}

	/**
	 * Forwards what was kept. Later settlements are forwarded immediately.
	 */
	private void forward() {
		try {
			List<Settlement> kept = end();
			if (kept.isEmpty() && this.claimed && !this.executed && !this.failed) {
				this.acknowledgement.run();
			}
			for (Settlement settlement : kept) {
				if (this.failed && !settlement.rejection()) {
					this.withdrawal.acceptWithException(settlement.arguments());
				}
				else {
					call(settlement);
				}
			}
		}
		catch (Throwable ex) {
			throw Rethrow.unchecked(ex);
		}
	}

	private synchronized List<Settlement> end() {
		this.forwarded = true;
		return List.copyOf(this.settlements);
	}

	private @Nullable Object call(Settlement settlement) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(this.target, settlement.method(), settlement.arguments());
	}

	private record Settlement(Method method, @Nullable Object[] arguments, boolean rejection) {
	}

	/**
	 * The listener has rejected the message.
	 */
	static final class RejectedException extends RuntimeException {

		RejectedException() {
			super("The listener rejected the message");
		}

	}

}
