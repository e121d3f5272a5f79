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
package dev.idempotency.sample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample as it starts without any configuration.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartUpTests {

	@Test
	void itStartsOnADurableDatabaseOfItsOwnAndSaysWhatToType(CapturedOutput output) {
		try (ConfigurableApplicationContext context = SpringApplication.run(RocketRidesApplication.class,
				"--server.port=0")) {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(jdbc.queryForObject("show synchronous_commit", String.class)).isEqualTo("on");
			assertThat(jdbc.queryForObject("show fsync", String.class)).isEqualTo("on");
			String port = context.getEnvironment().getProperty("local.server.port");
			assertThat(output).contains("Rocket Rides is at http://localhost:" + port)
				.contains("curl -i -u alice:alice -H 'Idempotency-Key: k1'");
		}
	}

}
