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
package dev.idempotency.conformance.phase;

import java.net.http.HttpResponse;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.ScriptedPhases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The isolation of phases in an application that says at the begin of each transaction
 * whose rows it is about.
 */
@Tag("postgresql")
@Tag("X25")
class PhaseIsolationTests {

	@Test
	void aStatementBeforeAllOthersKeepsNoPhaseFromItsIsolation() {
		try (ScriptedPhases scripted = ScriptedPhases.start(MigratedDatabase.create(), List.of(Tenants.class))) {
			HttpResponse<byte[]> answer = scripted.call("tenant", (phases) -> {
				String first = phases.atomic("first", String.class, () -> {
					scripted.effects().record("tenant");
					return state(scripted);
				});
				return phases.finish(() -> List.of(first, state(scripted)));
			});
			assertOriginal(answer, 200);
			assertThat(text(answer)).isEqualTo("[\"alice serializable\",\"alice serializable\"]");
			assertThat(scripted.application().effects("tenant")).isEqualTo(1);
		}
	}

	private static String state(ScriptedPhases scripted) {
		return scripted.application()
			.jdbc()
			.queryForObject("select current_setting('app.tenant') || ' ' || current_setting('transaction_isolation')",
					String.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		TransactionExecutionListener tenant(ObjectProvider<JdbcTemplate> jdbc) {
			return new TransactionExecutionListener() {

				@Override
				public void afterBegin(TransactionExecution transaction, Throwable beginFailure) {
					jdbc.getObject().queryForObject("select set_config('app.tenant', 'alice', true)", String.class);
				}

			};
		}

	}

}
