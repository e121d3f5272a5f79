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

import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * {@code @Transactional} on handlers that are not public, as the proxy of their class
 * sees it.
 */
@Tag("postgresql")
class HandlerTransactionTests {

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
