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

import java.time.Duration;
import java.time.Instant;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.NamespaceStore;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class SecretCheckTests {

	private static final String SECRET = "idempotency.secret.identity=YW4gaWRlbnRpdHkgc2VjcmV0IG9mIDMyIGJ5dGVzLi4=";

	private final TestDatabase database = TestDatabase.create();

	private final ApplicationContextRunner contextRunner = TestContexts.with(this.database)
		.withPropertyValues("idempotency.reaper.enabled=false");

	@Test
	void storesTheCheckValueWithTheFirstStart() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(SecretCheck.class);
			assertThat(new JdbcTemplate(context.getBean(DataSource.class))
				.queryForList("select namespace from idempotency_namespace", String.class)).containsExactly("test");
		});
	}

	@Test
	void saysWhatToWriteWhereTheSecretIsAnother() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withPropertyValues(SECRET).run((context) -> {
			InvalidIdempotentException failure = (InvalidIdempotentException) context.getStartupFailure();
			assertThat(failure.getSubject()).contains("'test'", "without a secret", "run again");
			assertThat(failure.getAction()).contains("Remove idempotency.secret.identity",
					"idempotency.secret.accept-change-until=20");
		});
	}

	@Test
	void isSwitchedOffWithTheLibraryAndWithTheManagementOfTheSchema() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withPropertyValues(SECRET, "idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SecretCheck.class));
		this.contextRunner.withPropertyValues(SECRET, "idempotency.schema.management=none")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SecretCheck.class));
	}

	@Test
	void asksTheStoreOfTheApplication() {
		byte[][] stored = { new byte[32] };
		NamespaceStore own = new NamespaceStore() {

			@Override
			public byte[] register(byte[] check) {
				return stored[0];
			}

			@Override
			public void replace(byte[] check) {
				stored[0] = check;
			}

		};
		this.contextRunner.withBean(NamespaceStore.class, () -> own).run((context) -> assertThat(context).hasFailed());
		this.contextRunner.withBean(NamespaceStore.class, () -> own)
			.withPropertyValues("idempotency.secret.accept-change-until=" + Instant.now().plus(Duration.ofHours(1)))
			.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withBean(NamespaceStore.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void isNotThereWithoutTransactions() {
		new ApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withClassLoader(new FilteredClassLoader(PlatformTransactionManager.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SecretCheck.class));
	}

	@Test
	void backsOffWhereTheStoreIsTheApplicationsOwn() {
		TestContexts.withoutDatabase()
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(SecretCheck.class));
	}

}
