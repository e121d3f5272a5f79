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
package dev.idempotency.store.jdbc.sql;

import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.idempotency.database.TableNames;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SyntaxTests {

	private final Syntax syntax = new Syntax(Map.of("now", "clock()", "micros", "epoch(%s)"), TableNames.DEFAULT);

	@Test
	void aWordIsReplacedEachTime() {
		assertThat(this.syntax.in("update t set a = :now, b = :now where c = ?"))
			.isEqualTo("update t set a = clock(), b = clock() where c = ?");
	}

	@Test
	void theArgumentOfAWordMayContainAnotherWord() {
		assertThat(this.syntax.in("select :micros(created_at), :micros(:now)"))
			.isEqualTo("select epoch(created_at), epoch(clock())");
	}

	@Test
	void aCastIsNotAWord() {
		assertThat(this.syntax.in("select a::now, :now")).isEqualTo("select a::now, clock()");
	}

	@Test
	void tablesAreNamedWithTheirSchemaAndTextInQuotesStays() {
		Syntax syntax = new Syntax(Map.of("number", "next value for idempotency_claim_number"), new TableNames("app"));
		assertThat(syntax.in("select :number, l.idempotency_job, idempotency_record_pkey from idempotency_lease l "
				+ "where name = 'idempotency_lease' and exists (select 1 from idempotency_record)"))
			.isEqualTo("select next value for app.idempotency_claim_number, l.idempotency_job, idempotency_record_pkey "
					+ "from app.idempotency_lease l where name = 'idempotency_lease' "
					+ "and exists (select 1 from app.idempotency_record)");
	}

	@Test
	void anUnknownWordIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.syntax.in("select :later"))
			.withMessageContaining(":later");
	}

}
