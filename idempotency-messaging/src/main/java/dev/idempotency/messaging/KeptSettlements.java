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

import dev.idempotency.engine.execution.Rethrow;

/**
 * The acknowledgements and rejections by which a listener settles its message, kept until
 * it has returned and the outermost transaction has ended: a message that was
 * acknowledged earlier would be lost if its transaction did not commit.
 */
final class KeptSettlements implements InvocationHandler, TransactionSynchronization {

	private static final Set<String> ACKNOWLEDGEMENTS = Set.of("acknowledge", "basicAck");

	private static final Set<String> REJECTIONS = Set.of("nack", "basicNack", "basicReject");

	private final Object target;

	private final ThrowingConsumer<@Nullable Object[]> withdrawal;

	private @Nullable List<Settlement> kept = new ArrayList<>();

	private boolean settled;

	private boolean rejected;

	/** The listener, and the transaction that it has joined. */
	private int awaited = 1;

	private boolean joined;

	private boolean failed;

	/**
	 * Keeps settlements.
	 * @param target the acknowledgement or the channel of the container
	 * @param withdrawal takes back an acknowledgement, given its arguments, whose
	 * transaction was rolled back
	 */
	KeptSettlements(Object target, ThrowingConsumer<@Nullable Object[]> withdrawal) {
		this.target = target;
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
		this.settled = true;
		this.rejected |= settlement.rejection();
		return this.kept != null && this.kept.add(settlement);
	}

	synchronized boolean isSettled() {
		return this.settled;
	}

	synchronized boolean isRejected() {
		return this.rejected;
	}

	/**
	 * Waits for the end of the current transaction as well.
	 */
	void joinTransaction() {
		TransactionSynchronizationManager.registerSynchronization(this);
		this.joined = true;
		this.awaited++;
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
		ended(returned || !this.joined);
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
			for (Settlement settlement : end()) {
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
		List<Settlement> settlements = (this.kept != null) ? this.kept : List.of();
		this.kept = null;
		return settlements;
	}

	private @Nullable Object call(Settlement settlement) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(this.target, settlement.method(), settlement.arguments());
	}

	private record Settlement(Method method, @Nullable Object[] arguments, boolean rejection) {
	}

}
