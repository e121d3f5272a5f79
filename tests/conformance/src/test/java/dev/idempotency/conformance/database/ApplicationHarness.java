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

import java.time.Duration;
import java.util.List;

import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.jdbc.JdbcStores;
import dev.idempotency.store.jdbc.StoreConnections;
import dev.idempotency.storecontract.StoreHarness;
import dev.idempotency.testsupport.DatabaseKind;
import dev.idempotency.testsupport.TestDatabase;

/**
 * The store of an application on a database of one kind.
 */
final class ApplicationHarness implements StoreHarness, AutoCloseable {

	private final RunningApplication application;

	private final DatabaseKind kind;

	ApplicationHarness(DatabaseKind kind, String... properties) {
		List<String> all = new java.util.ArrayList<>(List.of("idempotency.namespace=" + NAMESPACE,
				"idempotency.completer.enabled=false", "idempotency.reaper.enabled=false"));
		all.addAll(List.of(properties));
		this.kind = kind;
		this.application = RunningApplication.startWithoutServer(TestDatabase.create(kind), List.of(),
				all.toArray(String[]::new));
	}

	RunningApplication application() {
		return this.application;
	}

	private <T> T bean(Class<T> type) {
		return this.application.context().getBean(type);
	}

	@Override
	public IdempotencyStore store() {
		return bean(IdempotencyStore.class);
	}

	@Override
	public UnfinishedStore unfinished(String namespace) {
		return stores(namespace).unfinished();
	}

	@Override
	public OperatorStore operators(String namespace) {
		return stores(namespace).operators();
	}

	private JdbcStores stores(String namespace) {
		return new JdbcStores(bean(StoreConnections.class), TableNames.DEFAULT, Duration.ofSeconds(5), namespace);
	}

	@Override
	public PlatformTransactionManager transactionManager() {
		return bean(PlatformTransactionManager.class);
	}

	@Override
	public void passTime(Duration time) {
		String earlier = switch (this.kind) {
			case POSTGRESQL -> "%1$s - ? * interval '1 microsecond'";
			case H2, H2_POSTGRESQL -> "timestampadd(microsecond, -?, %1$s)";
		};
		long micros = time.toNanos() / 1000;
		this.application.jdbc()
			.update("update idempotency_lease set " + set(earlier, "lease_until", "created_at", "retry_at", "stuck_at")
					+ " where namespace <> ''", micros, micros, micros, micros);
		this.application.jdbc()
			.update("update idempotency_record set " + set(earlier, "finished_at", "expires_at"), micros, micros);
	}

	private static String set(String earlier, String... columns) {
		return java.util.Arrays.stream(columns)
			.map((column) -> column + " = " + earlier.formatted(column))
			.collect(java.util.stream.Collectors.joining(", "));
	}

	@Override
	public void clear() {
		store();
		this.application.jdbc().update("delete from idempotency_lease where namespace <> ''");
		this.application.jdbc().update("delete from idempotency_record");
	}

	@Override
	public void close() {
		this.application.close();
	}

}
