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
package dev.idempotency.services.rides;

import org.apache.kafka.clients.admin.NewTopic;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;

/**
 * Books rides over HTTP. Its properties are in {@code rides.yml}.
 */
@SpringBootApplication
public class RidesApplication {

	/**
	 * Starts the service.
	 * @param arguments more properties
	 */
	public static void main(String[] arguments) {
		new SpringApplicationBuilder(RidesApplication.class).properties("spring.config.name=rides").run(arguments);
	}

	@Bean
	NewTopic rides() {
		return new NewTopic("rides", 3, (short) 1);
	}

}
