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
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that begin a transaction and never end it.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class LeakedTransactionTests {

	private static RunningApplication withView;

	private static RunningApplication withoutView;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		withView = start(true);
		withoutView = start(false);
	}

	private static RunningApplication start(boolean openInView) {
		return RunningApplication.start(List.of(Handlers.class), "server.tomcat.threads.max=3",
				"spring.jpa.open-in-view=" + openInView, "spring.datasource.hikari.maximum-pool-size=5",
				"spring.datasource.hikari.connection-timeout=3000", "spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		withView.close();
		withoutView.close();
	}

	@ParameterizedTest
	@CsvSource({ "transactional,true", "transactional,false", "nested,true", "nested,false", "leased,true",
			"leased,false", "callable,true", "callable,false", "on-thread-of-callable,true",
			"on-thread-of-callable,false", "failing,true", "failing,false", "foreign,true", "foreign,false",
			"view,true", "view,false" })
	@Tag("X18")
	void aTransactionThatIsNeverEndedIsRolledBackAndReported(String handler, boolean openInView,
			CapturedOutput output) {
		RunningApplication application = openInView ? withView : withoutView;
		for (int i = 0; i < 6; i++) {
			HttpResponse<byte[]> refused = application.post(ALICE, "/" + handler, this.label + i,
					Labelled.json(this.label));
			assertOriginal(refused, 500);
		}
		assertThat(application.effects("leaked-" + this.label)).isZero();
		assertThat(output.getOut().lines()).anySatisfy(
				(line) -> assertThat(line).contains("ERROR", "[IDEM-1312]", "LeakedTransactionTests$Handlers#"));
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 24, "/plain", "/protected", "/protected-lease");
		Leftovers.assertNone(application);
	}

	@RestController
	static class Handlers {

		private static final DefaultTransactionDefinition REQUIRES_NEW = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);

		private final Effects effects;

		private final PlatformTransactionManager transactionManager;

		private final DataSource dataSource;

		Handlers(Effects effects, PlatformTransactionManager transactionManager, DataSource dataSource) {
			this.effects = effects;
			this.transactionManager = transactionManager;
			this.dataSource = dataSource;
		}

		private Map<String, String> leak(Labelled body) {
			this.effects.record(body.label());
			this.transactionManager.getTransaction(REQUIRES_NEW);
			this.effects.recordAndFlush("leaked-" + body.label());
			return Map.of("label", body.label());
		}

		@Idempotent
		@PostMapping("/transactional")
		Map<String, String> transactional(@RequestBody Labelled body) {
			return leak(body);
		}

		@Idempotent
		@PostMapping("/nested")
		Map<String, String> nested(@RequestBody Labelled body) {
			leak(body);
			return leak(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, String> leased(@RequestBody Labelled body) {
			return leak(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/callable")
		Callable<Map<String, String>> callable(@RequestBody Labelled body) {
			Map<String, String> answer = leak(body);
			return () -> answer;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/on-thread-of-callable")
		Callable<Map<String, String>> onThreadOfCallable(@RequestBody Labelled body) {
			return () -> leak(body);
		}

		@Idempotent
		@PostMapping("/failing")
		Map<String, String> failing(@RequestBody Labelled body) {
			leak(body);
			throw new IllegalStateException("after the leak");
		}

		/**
		 * By an unknown transaction manager.
		 */
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/foreign")
		Map<String, String> foreign(@RequestBody Labelled body) {
			this.effects.record(body.label());
			new DataSourceTransactionManager(this.dataSource).getTransaction(null);
			new JdbcTemplate(this.dataSource).update("insert into effect (id, label) values (?, ?)", UUID.randomUUID(),
					"leaked-" + body.label());
			return Map.of("label", body.label());
		}

		@Idempotent
		@PostMapping("/view")
		ModelAndView view(@RequestBody Labelled body) {
			this.effects.record(body.label());
			return new ModelAndView((model, request, response) -> leak(body));
		}

		@Idempotent
		@PostMapping("/protected")
		Map<String, String> protectedValue(@RequestBody Labelled body) {
			return plain(body);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/protected-lease")
		Map<String, String> protectedByLease(@RequestBody Labelled body) {
			return plain(body);
		}

		@PostMapping("/plain")
		Map<String, String> plain(@RequestBody Labelled body) {
			return Map.of("label", this.effects.record(body.label()).getLabel());
		}

	}

}
