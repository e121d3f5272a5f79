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

import java.util.Objects;

import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.aop.AfterReturningAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Spring AMQP's registry, which creates every container, regardless of the registration
 * of its endpoint.
 * <p>
 * A container is taken from its factory, as an object: the methods that create one have
 * different return types in Spring AMQP 4.0 and 4.1.
 */
public final class IdempotentRabbitListenerRegistry extends RabbitListenerEndpointRegistry {

	private final ObjectProvider<RabbitListeners> listeners;

	public IdempotentRabbitListenerRegistry(ObjectProvider<RabbitListeners> listeners) {
		this.listeners = listeners;
	}

	@Override
	public void registerListenerContainer(RabbitListenerEndpoint endpoint, RabbitListenerContainerFactory<?> factory,
			boolean startImmediately) {
		super.registerListenerContainer(endpoint, protecting(factory, endpoint), startImmediately);
	}

	private RabbitListenerContainerFactory<?> protecting(RabbitListenerContainerFactory<?> factory,
			RabbitListenerEndpoint endpoint) {
		ProxyFactory proxy = new ProxyFactory();
		proxy.setInterfaces(RabbitListenerContainerFactory.class);
		proxy.setTarget(factory);
		proxy.addAdvice((AfterReturningAdvice) (result, method, arguments, target) -> {
			if (method.getName().equals("createListenerContainer")) {
				this.listeners.getObject().protect(endpoint, Objects.requireNonNull(result));
			}
		});
		// Endpoints may be registered by any thread, whatever its class loader is
		return (RabbitListenerContainerFactory<?>) proxy.getProxy(getClass().getClassLoader());
	}

}
