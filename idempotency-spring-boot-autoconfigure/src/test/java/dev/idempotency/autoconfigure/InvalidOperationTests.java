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

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.Idempotent.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The output of the failure analyzer for invalid annotations, on beans that answer no
 * request.
 */
class InvalidOperationTests {

	static Stream<Arguments> mistakes() {
		return Stream.of(
				Arguments.of(NoKey.class, "@Idempotent on NoKey#run has no key, and the method is not an endpoint.",
						"@Idempotent(key = \"#command.id()\")"),
				Arguments.of(ClassWithoutKey.class, "@Idempotent on ClassWithoutKey#run has no key", "Declare the key"),
				Arguments.of(NoResource.class, "@Idempotent on NoResource#run has scope RESOURCE and no resource.",
						"@Idempotent(scope = Scope.RESOURCE, resource = \"payments\")"),
				Arguments.of(NoScope.class, "names the resource 'payments', but its scope is ACCOUNT.",
						"Add scope = Scope.RESOURCE, or remove the resource."),
				Arguments.of(NoDuration.class, "has the ttl 'soon', which is not a valid time to live.",
						"such as 24h, 72h or PT30M"),
				Arguments.of(NegativeDuration.class, "has the ttl '-1s'", "Write a duration of at most ten years"),
				Arguments.of(EndlessDuration.class, "has the ttl '4000d'", "at most ten years"),
				Arguments.of(DurationWithoutUnit.class, "has the ttl '72'", "with its unit"),
				Arguments.of(NoProperty.class, "has the ttl '${payments.ttl}', whose placeholder has no value.",
						"give the placeholder a default as in ${name:default}"),
				Arguments.of(NoExpression.class, "The key of @Idempotent on NoExpression#run does not parse: ",
						"Write a SpEL expression over the arguments"),
				Arguments.of(Leased.class, "@Idempotent on Leased#run has the mode LEASED", "Remove the mode"),
				Arguments.of(NotKept.class, "@Idempotent on NotKept#run has replay = NONE", "return void"),
				Arguments.of(FinalMethod.class, "@Idempotent on FinalMethod#run has no effect", "Remove the modifier"),
				Arguments.of(OwnTransaction.class, "runs outside the transaction that holds its record",
						"Give @Transactional the propagation REQUIRED"),
				Arguments.of(OwnIsolation.class, "has an isolation level or a timeout, and joins the transaction",
						"the method that begins the transaction"),
				Arguments.of(OwnTimeout.class, "has an isolation level or a timeout, and joins the transaction",
						"the method that begins the transaction"),
				Arguments.of(ReadOnly.class, "is read-only, and joins the transaction that stores its record",
						"write @Transactional on the method"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void isRefusedAtStartUpWithWhatToWriteInstead(Class<?> bean, String subject, String action) {
		TestContexts.withoutDatabase().withBean(bean).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(subject);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	static FailureAnalysis analyze(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.none(),
					SpringFactoriesLoader.FailureHandler
						.logging(org.apache.commons.logging.LogFactory.getLog(InvalidOperationTests.class)))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(java.util.Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	@Test
	void whatIsInOrderIsAccepted() {
		TestContexts.withoutDatabase()
			.withBean(InOrder.class)
			.withPropertyValues("payments.ttl=1h", "idempotency.mode=leased")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class NoKey {

		@Idempotent
		void run(String key) {
		}

	}

	@Idempotent
	static class ClassWithoutKey {

		void run(String key) {
		}

	}

	static class NoResource {

		@Idempotent(key = "#key", scope = Scope.RESOURCE)
		void run(String key) {
		}

	}

	static class NoScope {

		@Idempotent(key = "#key", resource = "payments")
		void run(String key) {
		}

	}

	static class NoDuration {

		@Idempotent(key = "#key", ttl = "soon")
		void run(String key) {
		}

	}

	static class NegativeDuration {

		@Idempotent(key = "#key", ttl = "-1s")
		void run(String key) {
		}

	}

	static class EndlessDuration {

		@Idempotent(key = "#key", ttl = "4000d")
		void run(String key) {
		}

	}

	static class DurationWithoutUnit {

		@Idempotent(key = "#key", ttl = "72")
		void run(String key) {
		}

	}

	static class NoProperty {

		@Idempotent(key = "#key", ttl = "${payments.ttl}")
		void run(String key) {
		}

	}

	static class NoExpression {

		@Idempotent(key = "#key.(")
		void run(String key) {
		}

	}

	static class Leased {

		@Idempotent(key = "#key", mode = Mode.LEASED)
		void run(String key) {
		}

	}

	static class NotKept {

		@Idempotent(key = "#key", replay = Replay.NONE)
		void run(String key) {
		}

	}

	static class FinalMethod {

		@Idempotent(key = "#key")
		final void run(String key) {
		}

	}

	static class OwnTransaction {

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void run(String key) {
		}

	}

	static class OwnIsolation {

		@Idempotent(key = "#key")
		@Transactional(isolation = Isolation.SERIALIZABLE)
		void run(String key) {
		}

	}

	static class ReadOnly {

		@Transactional(readOnly = true)
		@Idempotent(key = "#key")
		public void run(String key) {
		}

	}

	@Transactional(timeout = 5)
	static class OwnTimeout {

		@Idempotent(key = "#key")
		void run(String key) {
		}

	}

	static class InOrder {

		@Transactional
		@Idempotent(key = "#key", scope = Scope.RESOURCE, resource = "payments", ttl = "${payments.ttl}",
				required = Required.FALSE)
		String run(String key) {
			return key;
		}

		@Idempotent(key = "'constant'", ttl = "${receipts.ttl:PT30M}", mode = Mode.TRANSACTIONAL)
		void send() {
		}

	}

}
