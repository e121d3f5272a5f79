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
package dev.idempotency.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.mock.env.MockEnvironment;

import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyPropertiesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					header                            | 'a b'            | Write a header name such as Idempotency-Key.
					ttl                               | 86400            | Write a unit, such as 86400s or 86400h.
					ttl                               | ' 72 '           | Write a unit, such as 72s or 72h.
					ttl                               | '${hours:72}'    | Write a unit, such as 72s or 72h.
					reaper.interval                   | 60000            | Write a unit, such as 60000s or 60000h.
					ttl                               | 0s               | Write a positive duration such as 24h.
					ttl                               | -1s              | Write a positive duration such as 24h.
					ttl                               | 3651d            | Write at most 3650d.
					ttl                               | 24               | Write a unit, such as 24s or 24h.
					in-flight.wait                    | 0s               | Write a duration from 1ms to 5m, such as 5s.
					in-flight.wait                    | 6m               | Write a duration from 1ms to 5m, such as 5s.
					in-flight.wait                    | 5                | Write a unit, such as 5s or 5h.
					lease.duration                    | 30               | Write a unit, such as 30s or 30h.
					lease.duration                    | 3651d            | Write at most 3650d.
					lease.max                         | 3651d            | Write at most 3650d.
					fingerprint.include-headers       | 'X:Y'            | Write header names such as X-Api-Version.
					fingerprint.include-headers       | authorization    | a renewed credential would make a retry another request
					fingerprint.include-headers       | Cookie           | a renewed credential would make a retry another request
					fingerprint.include-headers       | Proxy-Authorization | a renewed credential would make a retry another request
					fingerprint.include-headers       | X-Api-Key        | a renewed credential would make a retry another request
					fingerprint.include-headers       | X-CSRF-TOKEN     | a renewed credential would make a retry another request
					fingerprint.include-headers       | traceparent      | a retry has a different trace
					fingerprint.include-headers       | X-Amzn-Trace-Id  | a retry has a different trace
					fingerprint.include-headers       | idempotency-key  | the key decides which request it is compared with
					replay.marker                     | 'a b'            | Write a header name such as Idempotent-Replayed
					limits.max-request-body           | 0B               | Write a size between 1B and 2047MB, such as 1MB.
					limits.max-request-body           | 2GB              | Write a size between 1B and 2047MB, such as 1MB.
					limits.max-response-body          | -1B              | Write a size between 1B and 2047MB, such as 1MB.
					problem.type-base                 | /problems/       | Write an absolute URI that ends with
					problem.type-base                 | 'https://a/b'    | Write an absolute URI that ends with
					problem.type-base                 | 'https://a b/'   | Write an absolute URI that ends with
					problem.documentation             | javascript:x     | Write an address such as https://
					problem.documentation             | 'https://a>b'    | Write an address such as https://
					reaper.interval                   | 0s               | Write a positive duration such as 1m.
					reaper.interval                   | 3651d            | Write at most 3650d.
					outbox.polling-interval           | 9ms              | Write a duration from 10ms to 1h, such as 1s.
					outbox.polling-interval           | 61m              | Write a duration from 10ms to 1h, such as 1s.
					outbox.send-timeout               | 99ms             | Write a duration from 100ms to 5m, such as 10s.
					outbox.send-timeout               | 6m               | Write a duration from 100ms to 5m, such as 10s.
					job.threads                       | 0                | Write a number from 1 to 100.
					job.threads                       | 101              | Write a number from 1 to 100.
					job.polling-interval              | 99ms             | Write a duration from 100ms to 1h, such as 10s.
					job.polling-interval              | 61m              | Write a duration from 100ms to 1h, such as 10s.
					job.max-attempts                  | 0                | Write a number from 1 to 1000.
					job.max-attempts                  | 1001             | Write a number from 1 to 1000.
					messaging.ttl                     | 0s               | Write a duration from 1s to 3650d, such as 7d.
					messaging.ttl                     | 3651d            | Write a duration from 1s to 3650d, such as 7d.
					cache.local.maximum-size          | 0                | Write a number from 1.
					retention.client-error            | 0s               | Write a positive duration such as 1h.
					retention.client-error            | 60               | Write a unit, such as 60s or 60h.
					reaper.keep-unfinished            | 0s               | Write a positive duration such as 24h.
					reaper.keep-unfinished            | 24               | Write a unit, such as 24s or 24h.
					completer.interval                | 0s               | Write a duration from 1ms to 1h, such as 10s.
					completer.interval                | 61m              | Write a duration from 1ms to 1h, such as 10s.
					completer.after                   | -1s              | Write a duration such as 5m, or 0.
					completer.after                   | 3651d            | Write a duration such as 5m, or 0. The longest is 3650d.
					completer.max-attempts            | 0                | Write a number from 1 to 1000.
					completer.max-attempts            | 1001             | Write a number from 1 to 1000.
					completer.threads                 | -1               | Write a number from 0 to 64.
					completer.threads                 | 65               | Write a number from 0 to 64.
					completer.exclude-pointers        | 'card'           | Write the JSON pointer of a member, such as /card/securityCode.
					completer.exclude-pointers        | '/'              | Write the JSON pointer of a member, such as /card/securityCode.
					completer.headers                 | 'X:Y'            | Write header names such as X-Api-Version.
					completer.headers                 | authorization    | credentials are not stored
					completer.headers                 | Cookie           | credentials are not stored
					completer.headers                 | Proxy-Authorization | credentials are not stored
					completer.headers                 | X-Auth-Token     | credentials are not stored
					completer.headers                 | DPoP             | credentials are not stored
					completer.headers                 | idempotency-key  | keys are not stored
					client.targets.one                | 'https://a'      | Write hosts such as api.example.com
					health.max-open-age               | 0s               | Write a positive duration such as 15m.
					health.max-open-age               | 3651d            | Write at most 3650d.
					client.header                     | 'a b'            | Write a header name such as Idempotency-Key.
					client.retry.max-attempts         | 0                | Write a number from 1 to 100.
					client.retry.max-attempts         | 101              | Write a number from 1 to 100.
					client.retry.total                | 0s               | Write a duration from 1ms to 24h, such as 30s.
					client.retry.total                | 25h              | Write a duration from 1ms to 24h, such as 30s.
					store.timeout                     | 0s               | Write a positive duration such as 5s.
					store.timeout                     | 61m              | Write at most 1h.
					""")
	void aValueThatMakesNoSenseStopsTheApplication(String property, String value, String action) {
		this.contextRunner.withPropertyValues("idempotency." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject()).startsWith("The property idempotency." + property + " is '");
					assertThat(failure.getAction()).contains(action);
				}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "scope=default", "scope=resource", "mode=default" })
	void whatOnlyAnAnnotationCanSayIsNoValueOfAProperty(String property) {
		this.contextRunner.withPropertyValues("idempotency." + property)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("idempotency." + property.substring(0, property.indexOf('=')))
				.rootCause()
				.hasMessageContaining("No enum constant"));
	}

	@Test
	void aNegativeDurationIsCalledThat() {
		this.contextRunner.withPropertyValues("idempotency.ttl=PT-1H")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidIdempotentException.class, (failure) -> {
					assertThat(failure.getSubject())
						.isEqualTo("The property idempotency.ttl is 'PT-1H', which is not positive.");
					assertThat(failure.getProperty()).isEqualTo("idempotency.ttl");
				}));
	}

	@Test
	void theReportSaysWhereThePropertyWasSet() {
		MockEnvironment environment = new MockEnvironment();
		environment.getPropertySources()
			.addFirst(new OriginTrackedMapPropertySource("file", Map.of("idempotency.ttl",
					OriginTrackedValue.of("PT-1H", new TextResourceOrigin(new ClassPathResource("application.yml"),
							new TextResourceOrigin.Location(6, 8))))));
		ConfigurationPropertySources.attach(environment);
		FailureAnalysis analysis = new InvalidIdempotentFailureAnalyzer(environment)
			.analyze(new InvalidIdempotentException("The property idempotency.ttl is 'PT-1H', which is not positive.",
					"Write a positive duration such as 24h.", "idempotency.ttl"));
		assertThat(analysis.getDescription()).contains("application.yml", "7:9");
	}

	@Test
	void theSmallestAndLargestValuesAreAccepted() {
		this.contextRunner
			.withPropertyValues("idempotency.ttl=3650d", "idempotency.limits.max-request-body=1B",
					"idempotency.limits.max-response-body=2047MB", "idempotency.client.retry.total=24h",
					"idempotency.client.retry.max-attempts=1", "idempotency.store.timeout=1h",
					"idempotency.job.threads=100", "idempotency.job.polling-interval=100ms",
					"idempotency.job.max-attempts=1", "idempotency.outbox.polling-interval=10ms",
					"idempotency.outbox.send-timeout=100ms", "idempotency.replay.marker=",
					"idempotency.problem.documentation=/docs")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Import(EnforcementImport.class)
	@ConfigurationPropertiesScan(basePackageClasses = IdempotencyProperties.class)
	static class Properties {

	}

}
