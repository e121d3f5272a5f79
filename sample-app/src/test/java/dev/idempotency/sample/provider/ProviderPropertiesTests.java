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
package dev.idempotency.sample.provider;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code sample.provider}.
 */
class ProviderPropertiesTests {

	private final ApplicationContextRunner context = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@Test
	void theyHaveDefaults() {
		this.context
			.run((context) -> assertThat(context.getBean(ProviderProperties.class)).isEqualTo(new ProviderProperties(
					"sk_test_rocket_rides", Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), 2)));
	}

	@ParameterizedTest
	@CsvSource({ "api-key=, such as sk_test_rocket_rides", "api-key=a b, such as sk_test_rocket_rides",
			"latency=-1s, write 0s or more", "latency=11m, at most 10m", "connect-timeout=0s, at least 1ms",
			"read-timeout=0s, at least 1ms", "retries=-1, write 0 to never retry", "retries=11, at most 10" })
	void whatMakesNoSenseIsRefusedWithWhatToWrite(String property, String advice) {
		this.context.withPropertyValues("sample.provider." + property)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(advice));
	}

	@EnableConfigurationProperties(ProviderProperties.class)
	static class Properties {

	}

}
