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
package dev.idempotency.autoconfigure.messaging;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.idempotency.autoconfigure.TestContexts;
import dev.idempotency.messaging.Inbox;
import dev.idempotency.messaging.IncomingMessage;
import dev.idempotency.messaging.MessageContent;
import dev.idempotency.messaging.MessageKeyResolver;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyMessagingAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.withoutDatabase();

	@Test
	void takesKeysFromHeadersByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(Inbox.class)
			.hasSingleBean(MessageContent.class)
			.getBean(MessageKeyResolver.class)
			.extracting(
					(keys) -> keys.resolve(new IncomingMessage("payments", Map.of("message-id", "7"), null, null, 0)))
			.isEqualTo("id:7"));
	}

	@Test
	void isSwitchedOffWithTheLibrary() {
		this.contextRunner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(Inbox.class)
				.doesNotHaveBean(MessageKeyResolver.class));
	}

	@Test
	void whatTheApplicationSaysOfItsMessagesWins() {
		MessageKeyResolver keys = (message) -> message.source();
		MessageContent content = (message) -> null;
		this.contextRunner.withBean(MessageKeyResolver.class, () -> keys)
			.withBean(MessageContent.class, () -> content)
			.run((context) -> {
				assertThat(context).getBean(MessageKeyResolver.class).isSameAs(keys);
				assertThat(context).getBean(MessageContent.class).isSameAs(content);
			});
	}

	@Test
	void isNotThereWithoutAnyBroker() {
		this.contextRunner
			.withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.springframework.amqp.rabbit"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Inbox.class));
	}

	@Test
	void backsOffWithoutAStore() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Inbox.class));
	}

}
