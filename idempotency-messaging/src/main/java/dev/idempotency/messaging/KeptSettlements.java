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
import org.springframework.util.ClassUtils;
import org.springframework.util.function.ThrowingConsumer;

import dev.idempotency.engine.execution.Rethrow;

/**
 * The acknowledgements and rejections by which a listener settles its message, kept until
 * the outermost transaction has ended: a message that was acknowledged earlier would be
 * lost if its transaction did not commit.
 */
final class KeptSettlements implements InvocationHandler {

	private static final Set<String> ACKNOWLEDGEMENTS = Set.of("acknowledge", "basicAck");

	private static final Set<String> REJECTIONS = Set.of("nack", "basicNack", "basicReject");

	private final Object target;

	private final ThrowingConsumer<Object> acknowledge;

	private final ThrowingConsumer<@Nullable Object[]> withdrawal;

	private @Nullable List<Settlement> kept = new ArrayList<>();

	private boolean rejected;

	/**
	 * Keeps settlements.
	 * @param target the acknowledgement or the channel of the container
	 * @param acknowledge acknowledges a message that its listener is not called with
	 * @param withdrawal takes back an acknowledgement, given its arguments, whose
	 * transaction was rolled back
	 */
	KeptSettlements(Object target, ThrowingConsumer<Object> acknowledge,
			ThrowingConsumer<@Nullable Object[]> withdrawal) {
		this.target = target;
		this.acknowledge = acknowledge;
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
		if (this.kept == null) {
			return false;
		}
		this.rejected |= settlement.rejection();
		return this.kept.add(settlement);
	}

	synchronized boolean isRejected() {
		return this.rejected;
	}

	/**
	 * Acknowledges a message that its listener was not called with.
	 */
	void skip() {
		if (forward(true) == 0) {
			this.acknowledge.accept(this.target);
		}
	}

	/**
	 * Forwards what was kept, since the transaction has ended. Later settlements are
	 * forwarded immediately.
	 * @param committed whether it has committed
	 * @return the number of settlements
	 */
	int forward(boolean committed) {
		List<Settlement> settlements = end();
		try {
			for (Settlement settlement : settlements) {
				if (committed || settlement.rejection()) {
					call(settlement);
				}
				else {
					this.withdrawal.acceptWithException(settlement.arguments());
				}
			}
		}
		catch (Throwable ex) {
			throw Rethrow.unchecked(ex);
		}
		return settlements.size();
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
