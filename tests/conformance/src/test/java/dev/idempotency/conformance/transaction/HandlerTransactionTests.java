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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * {@code @Transactional} on handlers: its propagation, and handlers that are not public,
 * as the proxy of their class sees it.
 */
@Tag("postgresql")
class HandlerTransactionTests {

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	@Test
	@Tag("X10")
	void aLeasedHandlerThatIsTransactionalCommitsOnceWhateverItsVisibility() {
		try (RunningApplication application = RunningApplication.start(Handlers.class)) {
			for (String path : new String[] { "/package-private", "/protected", "/public" }) {
				assertOriginal(application.post(ALICE, path, path, Labelled.json(path)), 200);
				assertThat(application.jdbc()
					.queryForList("""
							select xmin::text from effect where label = ?
							union
							select xmin::text from idempotency_record where operation = ?""", String.class, path,
							"POST " + path))
					.as(path)
					.hasSize(1);
			}
		}
	}

	@Test
	void aHandlerInPhasesThatIsTransactionalAndPackagePrivateDoesNotStart() {
		assertThatThrownBy(() -> RunningApplication.start(Phased.class))
			.hasStackTraceContaining("is @Transactional and has a parameter Phases");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/never", "/not-supported", "/supports" })
	void aHandlerThatDeclaresNoTransactionRunsWithoutOne(String path) {
		RunningApplication application = APPLICATIONS.get(WithoutTransaction.class);
		HttpResponse<byte[]> answer = application.post(path, "k");
		assertOriginal(answer, 200);
		assertThat(text(answer)).isEqualTo("false");
		assertReplay(application.post(path, "k"), answer);
	}

	@Test
	void theLastPhaseIsNotWithinAScopeThatEndsBeforeIt() {
		RunningApplication application = APPLICATIONS.get(WithoutTransaction.class);
		assertThat(application.post("/phases", "k").statusCode()).isEqualTo(500);
		assertThat(application.post("/phases", "k").statusCode()).isEqualTo(500);
	}

	@Test
	void aLeasedHandlerWithANewTransactionHasNoOtherOneAroundIt() {
		try (RunningApplication application = RunningApplication.start(WithoutTransaction.class,
				"spring.datasource.hikari.maximum-pool-size=1", "spring.jpa.open-in-view=false",
				"spring.datasource.hikari.connection-timeout=1000")) {
			HttpResponse<byte[]> answer = application.post("/requires-new", "k");
			assertOriginal(answer, 200);
			assertThat(text(answer)).isEqualTo("true");
		}
	}

	@RestController
	static class WithoutTransaction {

		private final PlatformTransactionManager transactionManager;

		WithoutTransaction(PlatformTransactionManager transactionManager) {
			this.transactionManager = transactionManager;
		}

		@Transactional(propagation = Propagation.NEVER)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/never")
		boolean never() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/not-supported")
		boolean notSupported() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Transactional(propagation = Propagation.SUPPORTS)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/supports")
		boolean supports() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/requires-new")
		boolean requiresNew() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Idempotent
		@PostMapping("/phases")
		boolean phases(Phases phases) {
			return new TransactionTemplate(this.transactionManager,
					new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NOT_SUPPORTED))
				.execute((scope) -> phases.finish(TransactionSynchronizationManager::isActualTransactionActive));
		}

	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/package-private")
		Map<String, Object> packagePrivate(@RequestBody Labelled body) {
			return Map.of("id", this.effects.record(body.label()).getId());
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/protected")
		protected Map<String, Object> protectedOne(@RequestBody Labelled body) {
			return packagePrivate(body);
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/public")
		public Map<String, Object> publicOne(@RequestBody Labelled body) {
			return packagePrivate(body);
		}

	}

	@RestController
	static class Phased {

		@Transactional
		@Idempotent
		@PostMapping("/phased")
		String phased(Phases phases) {
			return phases.finish(() -> "done");
		}

	}

}
