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
package dev.idempotency.job.dbscheduler;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;

/**
 * The statements for jobs in the syntax of one database.
 *
 * @param customization the customization of db-scheduler
 * @param oneStatement whether due jobs are locked, marked and read in one statement, and
 * {@code bury} and {@code revive} remove what they copy. Otherwise two nodes may read a
 * job, and one of them gets it
 * @param now reads the clock, as {@code time}
 * @param postpone ends an attempt. Parameters: micros, failures, the parameters of the
 * attempt
 * @param bury copies a job to the dead ones. Parameters: namespace, type, attempts,
 * error, the parameters of the attempt
 * @param revive copies a dead job back. Parameters: id, namespace, version
 * @param discard removes a dead job. Parameters: id, namespace
 */
record JobDialect(JdbcCustomization customization, boolean oneStatement, String now, String postpone, String bury,
		String revive, String discard) {

	private static final String POSTPONE = """
			update idempotency_job set picked = false, picked_by = null, last_heartbeat = null,
				execution_time = :later,
				consecutive_failures = :failures, last_failure = :now""" + JobTable.THIS_ATTEMPT;

	private static final String DEAD_COLUMNS = """
			insert into idempotency_dead_job (id, namespace, type, payload, attempts, staged_at, died_at, last_error)
			""";

	private static final String JOB_COLUMNS = """
			insert into idempotency_job
				(task_name, task_instance, task_data, execution_time, picked, version, staged_at)
			""";

	private static final String BURY = DEAD_COLUMNS + """
			select task_instance, :namespace, :type, task_data, :attempts, staged_at, :now, :error
			from idempotency_job""" + JobTable.THIS_ATTEMPT;

	private static final String REVIVE = JOB_COLUMNS + """
			select concat(namespace, ':', type), id, payload, :now, false, :version, staged_at
			from idempotency_dead_job where id = :id and namespace = :namespace""";

	private static final String DISCARD = """
			delete from idempotency_dead_job where id = :id and namespace = :namespace""";

	static JobDialect of(SupportedDatabase database, TableNames names) {
		return switch (database) {
			case POSTGRESQL -> postgres(names);
			case H2 -> h2(names);
		};
	}

	private static JobDialect h2(TableNames names) {
		String now = "idempotency_now()";
		String later = "timestampadd(microsecond, :micros, :now)";
		return new JobDialect(new DefaultJdbcCustomization(false), false, names.in("select " + now + " as time"),
				names.in(POSTPONE.replace(":later", later).replace(":now", now)), names.in(BURY.replace(":now", now)),
				names.in(REVIVE.replace(":now", now)), names.in(DISCARD));
	}

	private static JobDialect postgres(TableNames names) {
		String now = "clock_timestamp()";
		String later = "clock_timestamp() + :micros * interval '1 microsecond'";
		String bury = "with failed as (delete from idempotency_job" + JobTable.THIS_ATTEMPT + """
				 returning task_instance, task_data, staged_at)
				""" + DEAD_COLUMNS
				+ """
						select task_instance::uuid, :namespace, :type, task_data, :attempts, staged_at, clock_timestamp(), :error
						from failed""";
		String revive = """
				with revived as (
					delete from idempotency_dead_job where id = :id::uuid and namespace = :namespace
					returning id, namespace, type, payload, staged_at)
				""" + JOB_COLUMNS + """
				select namespace || ':' || type, id::text, payload, clock_timestamp(), false, :version, staged_at
				from revived""";
		return new JobDialect(new PostgreSqlJdbcCustomization(false, false), true, "select clock_timestamp() as time",
				names.in(POSTPONE.replace(":later", later).replace(":now", now)), names.in(bury), names.in(revive),
				names.in(DISCARD.replace(":id", ":id::uuid")));
	}

}
