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
package dev.idempotency.messagingtests.inbox;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.rabbitmq.client.Channel;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.core.Message;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.kafka.listener.RecordInterceptor;

/**
 * Sees what brokers deliver. An application that is to be killed stops here when a
 * listener has returned, and before the broker is notified.
 */
class DeliveryCount implements RecordInterceptor<Object, Object>, MethodInterceptor {

	static final String PROCESSED = "PROCESSED ";

	private final Queue<String> payloads = new ConcurrentLinkedQueue<>();

	private final String last;

	DeliveryCount(@Value("${stop-after:}") String last) {
		this.last = last;
	}

	long of(String payload) {
		return this.payloads.stream().filter(payload::equals).count();
	}

	@Override
	public ConsumerRecord<Object, Object> intercept(ConsumerRecord<Object, Object> message,
			Consumer<Object, Object> consumer) {
		this.payloads.add(String.valueOf(message.value()));
		return message;
	}

	@Override
	public void success(ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
		stop(String.valueOf(message.value()));
	}

	/**
	 * Around the listener of a container of RabbitMQ.
	 */
	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (invocation.getArguments()[0] instanceof Channel
				&& invocation.getArguments()[1] instanceof Message message) {
			String payload = new String(message.getBody());
			this.payloads.add(payload);
			Object result = invocation.proceed();
			stop(payload);
			return result;
		}
		return invocation.proceed();
	}

	private void stop(String payload) {
		if (payload.equals(this.last)) {
			System.out.println(PROCESSED + payload);
			new Gate().pass();
		}
	}

}
