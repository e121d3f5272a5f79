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
package dev.idempotency.database;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TableNamesTests {

	private static final String STATEMENT = "select l.idempotency_job, nextval('idempotency_claim_number') "
			+ "from idempotency_lease l, \"idempotency_lock\" where name <> 'idempotency.claimed' "
			+ "and exists (select idempotency_record_pkey from idempotency_record)";

	@Test
	void statementsNameTheObjectsWithTheirSchemaAlsoInStrings() {
		assertThat(new TableNames("app").in(STATEMENT))
			.isEqualTo("select l.idempotency_job, nextval('app.idempotency_claim_number') "
					+ "from app.idempotency_lease l, \"idempotency_lock\" where name <> 'idempotency.claimed' "
					+ "and exists (select idempotency_record_pkey from app.idempotency_record)");
	}

	@Test
	void withoutASchemaStatementsStay() {
		assertThat(TableNames.DEFAULT.in(STATEMENT)).isEqualTo(STATEMENT);
	}

}
