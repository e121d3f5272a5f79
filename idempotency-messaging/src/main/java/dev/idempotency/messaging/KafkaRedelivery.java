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

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

import dev.idempotency.exception.RequestInProgressException;

/**
 * Records that cannot be executed yet, and have not failed: another delivery of them is
 * running, or they have to be polled again. The error handling of the application, which
 * gives up at some time, does not see them; they are delivered until they can be
 * executed.
 */
final class KafkaRedelivery {

	private static final FixedBackOff PAUSES = new FixedBackOff(250, FixedBackOff.UNLIMITED_ATTEMPTS);

	private KafkaRedelivery() {
	}

	/**
	 * Lets a container deliver postponed records again.
	 */
	@SuppressWarnings("unchecked")
	static void redeliver(AbstractMessageListenerContainer<?, ?> container) {
		boolean transactional = container.getContainerProperties().getKafkaAwareTransactionManager() != null;
		CommonErrorHandler handler = container.getCommonErrorHandler();
		if (handler != null || !transactional) {
			container.setCommonErrorHandler(unlessPostponed(CommonErrorHandler.class,
					(handler != null) ? handler : new DefaultErrorHandler(), errorHandler()));
		}
		if (transactional) {
			container.setAfterRollbackProcessor(
					(AfterRollbackProcessor<Object, Object>) unlessPostponed(AfterRollbackProcessor.class,
							container.getAfterRollbackProcessor(), new DefaultAfterRollbackProcessor<>(PAUSES)));
		}
	}

	private static CommonErrorHandler errorHandler() {
		DefaultErrorHandler handler = new DefaultErrorHandler(PAUSES);
		handler.setLogLevel(KafkaException.Level.INFO);
		return handler;
	}

	/**
	 * Puts one handler in front of another, for failures of postponed records.
	 */
	private static <T> T unlessPostponed(Class<T> type, T handler, T redelivery) {
		ProxyFactory proxy = new ProxyFactory();
		proxy.setInterfaces(type);
		proxy.setTarget(handler);
		proxy.addAdvice((MethodInterceptor) (invocation) -> {
			boolean postponed = Stream.of(invocation.getArguments()).anyMatch(KafkaRedelivery::isPostponed);
			return postponed ? AopUtils.invokeJoinpointUsingReflection(redelivery, invocation.getMethod(),
					invocation.getArguments()) : invocation.proceed();
		});
		return type.cast(proxy.getProxy(KafkaRedelivery.class.getClassLoader()));
	}

	private static boolean isPostponed(@Nullable Object argument) {
		return argument instanceof Throwable failure && Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.anyMatch((cause) -> cause instanceof RequestInProgressException || cause instanceof PollAgain);
	}

	/**
	 * Creates the failure of a batch whose records are to be polled again, from one on.
	 * @param first the first of them
	 * @param reason the reason why they could not be executed together
	 */
	static BatchListenerFailedException pollAgain(ConsumerRecord<?, ?> first, Exception reason) {
		return new BatchListenerFailedException("The records are polled again", new PollAgain(reason), first);
	}

	/**
	 * Has no cause: what an error handler would not retry is no reason to give up here.
	 */
	private static final class PollAgain extends RuntimeException {

		PollAgain(Exception reason) {
			super("They could not be executed together");
			addSuppressed(reason);
		}

	}

}
