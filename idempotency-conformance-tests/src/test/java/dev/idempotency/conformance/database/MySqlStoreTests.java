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
package dev.idempotency.conformance.database;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;

import org.hibernate.exception.LockAcquisitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.test.store.LeaseStoreContractTests;
import dev.idempotency.test.store.StoreHarness;
import dev.idempotency.testsupport.DatabaseKind;

/**
 * The contract of the store with the statements for MySQL, which MariaDB understands.
 */
@Tag("jpa")
class MySqlStoreTests extends LeaseStoreContractTests {

	private static ApplicationHarness harness;

	@BeforeAll
	static void start() {
		harness = new ApplicationHarness(DatabaseKind.MARIADB,
				"spring.jpa.database-platform=org.hibernate.dialect.MySQLDialect");
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@Override
	protected StoreHarness harness() {
		return new StoreHarness() {

			@Override
			public IdempotencyStore store() {
				return patient(harness.store());
			}

			@Override
			public UnfinishedStore unfinished(String namespace) {
				return harness.unfinished(namespace);
			}

			@Override
			public OperatorStore operators(String namespace) {
				return harness.operators(namespace);
			}

			@Override
			public PlatformTransactionManager transactionManager() {
				return harness.transactionManager();
			}

			@Override
			public void passTime(Duration time) {
				harness.passTime(time);
			}

			@Override
			public void clear() {
				harness.clear();
			}

		};
	}

	/**
	 * Claims that wait for one another may be told that they are in a deadlock, which the
	 * engine answers with 503. As its clients do, this one comes back.
	 */
	private static IdempotencyStore patient(IdempotencyStore store) {
		return (IdempotencyStore) Proxy.newProxyInstance(IdempotencyStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					while (true) {
						try {
							return method.invoke(store, arguments);
						}
						catch (InvocationTargetException ex) {
							if (!(ex.getCause() instanceof LockAcquisitionException)) {
								throw ex.getCause();
							}
						}
					}
				});
	}

}
