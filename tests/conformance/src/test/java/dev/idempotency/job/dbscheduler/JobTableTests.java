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

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.database.SupportedDatabase;
import dev.idempotency.database.TableNames;
import dev.idempotency.job.JobType;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that were considered lost, and go on.
 */
class JobTableTests {

	private static final JobType<String> TYPE = JobType.of("mail", String.class);

	private static final long LAST = 3;

	private final UUID id = UUID.randomUUID();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void anAttemptFromBeforeTheDeathOfAJobEndsNoneAfterIt(DatabaseKind kind) {
		DataSource dataSource = stage(kind);
		JobTable table = table(kind, dataSource, new Transactions(dataSource));
		assertThat(table.bury(attempt(LAST), TYPE, 3, "error")).isTrue();
		assertThat(table.revive(this.id)).isTrue();
		for (int picked = 0; picked < LAST; picked++) {
			for (long version = 1; version <= LAST; version++) {
				Execution late = attempt(version);
				assertThat(table.postpone(late, Duration.ofHours(1), 3)).isFalse();
				assertThat(table.bury(late, TYPE, 3, "late")).isFalse();
				assertThat(table.remove(late)).isFalse();
			}
			JdbcClient.create(dataSource)
				.sql("update idempotency_job set version = version + 1 where task_name <> ''")
				.update();
		}
		assertThat(table.staged()).isOne();
		assertThat(table.dead(1)).isEmpty();
	}

	/**
	 * Its node commits between the two statements by which another one buries it.
	 */
	@ParameterizedTest
	@EnumSource(names = "H2")
	void aJobThatIsDoneBeforeItIsBuriedIsNotAmongTheDead(DatabaseKind kind) {
		DataSource dataSource = stage(kind);
		Transactions elsewhere = new Transactions(dataSource);
		elsewhere.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		JobTable owner = table(kind, dataSource, elsewhere);
		Transactions transactions = new Transactions(dataSource);
		transactions.beforeThird = () -> assertThat(owner.remove(attempt(LAST))).isTrue();
		assertThat(table(kind, dataSource, transactions).bury(attempt(LAST), TYPE, 3, "error")).isFalse();
		assertThat(owner.dead(1)).isEmpty();
	}

	/**
	 * A database with one job, which is being tried for the last time.
	 */
	private DataSource stage(DatabaseKind kind) {
		TestDatabase database = TestDatabase.create(kind);
		DataSource dataSource = new DriverManagerDataSource(database.jdbcUrl(), database.username(),
				database.password());
		String scripts = "db/idempotency/" + kind.propertyValue();
		new ResourceDatabasePopulator(new ClassPathResource(scripts + "/V1__idempotency_record.sql"),
				new ClassPathResource(scripts + "/V2__idempotency_job.sql"))
			.execute(dataSource);
		JdbcClient.create(dataSource).sql("""
				insert into idempotency_job (task_name, task_instance, execution_time, picked, version)
				values (?, ?, current_timestamp, true, ?)""").params("test:mail", this.id.toString(), LAST).update();
		return dataSource;
	}

	private static JobTable table(DatabaseKind kind, DataSource dataSource, TransactionTemplate transactions) {
		SupportedDatabase database = SupportedDatabase.valueOf(kind.name());
		return new JobTable(JdbcClient.create(dataSource), TableNames.DEFAULT,
				JobDialect.of(database, TableNames.DEFAULT), transactions, "test");
	}

	private Execution attempt(long version) {
		return new Execution(Instant.EPOCH, new TaskInstance<>("test:mail", this.id.toString()), true, null, null, null,
				2, null, version);
	}

	/**
	 * Transactions that read what others have committed meanwhile, and something that
	 * happens before the third one, those within others included.
	 */
	private static final class Transactions extends TransactionTemplate {

		private int begun;

		private Runnable beforeThird = () -> {
		};

		Transactions(DataSource dataSource) {
			super(new JdbcTransactionManager(dataSource));
			setIsolationLevel(ISOLATION_READ_COMMITTED);
		}

		@Override
		public <T> T execute(TransactionCallback<T> action) {
			if (++this.begun == 3) {
				this.beforeThird.run();
			}
			return super.execute(action);
		}

	}

}
