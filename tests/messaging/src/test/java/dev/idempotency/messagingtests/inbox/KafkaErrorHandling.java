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

import org.apache.kafka.common.TopicPartition;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Two more attempts without a pause, then the dead-letter topic.
 */
@Configuration(proxyBeanMethods = false)
class KafkaErrorHandling {

	static final String DEAD_LETTERS = "dead-letters";

	@Bean
	Failures failures() {
		return new Failures();
	}

	@Bean
	DefaultErrorHandler errorHandler(KafkaTemplate<?, ?> template, Failures failures,
			@Value("${dead-letters:" + DEAD_LETTERS + "}") String topic) {
		DeadLetterPublishingRecoverer deadLetters = new DeadLetterPublishingRecoverer(template,
				(message, ex) -> new TopicPartition(topic, 0));
		return new DefaultErrorHandler((message, ex) -> {
			deadLetters.accept(message, ex);
			failures.add(message.topic(), ex);
		}, new FixedBackOff(0, 2));
	}

}
