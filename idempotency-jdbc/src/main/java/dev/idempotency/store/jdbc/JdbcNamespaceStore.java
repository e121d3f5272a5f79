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
package dev.idempotency.store.jdbc;

import java.util.Optional;

import dev.idempotency.database.Statements;
import dev.idempotency.database.TableNames;
import dev.idempotency.store.NamespaceStore;

/**
 * A {@link NamespaceStore} in SQL that all supported databases understand, each statement
 * in a separate transaction.
 */
final class JdbcNamespaceStore extends Statements implements NamespaceStore {

	private final String read = sql("select secret_check from idempotency_namespace where namespace = ?");

	private final String insert = sql("insert into idempotency_namespace (namespace, secret_check) values (?, ?)");

	private final String replace = sql("update idempotency_namespace set secret_check = ? where namespace = ?");

	private final Jdbc jdbc;

	private final String namespace;

	JdbcNamespaceStore(Jdbc jdbc, TableNames names, String namespace) {
		super(names);
		this.jdbc = jdbc;
		this.namespace = namespace;
	}

	@Override
	public byte[] register(byte[] check) {
		return read().orElseGet(() -> insert(check));
	}

	private Optional<byte[]> read() {
		return this.jdbc.separately((session) -> session.first(this.read, (row) -> row.getBytes(1), this.namespace));
	}

	/**
	 * Another node may insert it at the same time.
	 */
	private byte[] insert(byte[] check) {
		try {
			this.jdbc.separately((session) -> session.update(this.insert, this.namespace, check));
			return check;
		}
		catch (RuntimeException ex) {
			// The value of the fastest node applies.
			return read().orElseThrow(() -> ex);
		}
	}

	@Override
	public void replace(byte[] check) {
		this.jdbc.separately((session) -> session.update(this.replace, check, this.namespace));
	}

}
