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
package dev.idempotency.store.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.store.Identity;
import dev.idempotency.store.Lease;

/**
 * The locks and changes of one transaction, guarded by the monitor of the tables. Others
 * see only committed content. It ends with the transaction with which it is registered;
 * an unknown end counts as a rollback.
 */
final class MemoryTransaction implements TransactionSynchronization {

	private final MemoryTables tables;

	private final Set<Identity> locked = new HashSet<>();

	private final Map<Identity, MemoryEntry> changed = new HashMap<>();

	MemoryTransaction(MemoryTables tables) {
		this.tables = tables;
	}

	/**
	 * Locks an identity until the end of this transaction, unless another transaction has
	 * the lock.
	 */
	boolean tryLock(Identity identity) {
		boolean mine = this.tables.tryLock(identity, this);
		if (mine) {
			this.locked.add(identity);
		}
		return mine;
	}

	/**
	 * Waits for the lock of an identity, and reads its entry.
	 */
	MemoryEntry lock(Identity identity) {
		this.tables.awaitLock(identity, this);
		this.locked.add(identity);
		return get(identity);
	}

	MemoryEntry get(Identity identity) {
		MemoryEntry own = this.changed.get(identity);
		return (own != null) ? own : this.tables.committed(identity);
	}

	/**
	 * Returns the current claims of an application.
	 */
	Stream<MemoryClaim> claims(String namespace) {
		return this.tables.identities().stream().map(this::get).flatMap((entry) -> entry.claimIn(namespace).stream());
	}

	void put(Identity identity, MemoryEntry entry) {
		if (!this.locked.contains(identity)) {
			throw new IllegalStateException("The entry is not locked by this transaction");
		}
		this.changed.put(identity, entry);
	}

	/**
	 * Changes a claim, unless its owner has lost it.
	 */
	boolean change(Lease lease, Consumer<MemoryClaim> changes) {
		MemoryEntry entry = lock(lease.identity());
		MemoryClaim claim = entry.claimOf(lease);
		if (claim != null) {
			put(lease.identity(), entry.with(claim.changed(changes)));
		}
		return claim != null;
	}

	/**
	 * Ends a claim, unless its owner has lost it.
	 */
	boolean endClaim(Lease lease) {
		MemoryEntry entry = lock(lease.identity());
		boolean mine = entry.claimOf(lease) != null;
		if (mine) {
			put(lease.identity(), entry.with(null));
		}
		return mine;
	}

	void commit() {
		this.tables.end(this.changed, this.locked);
	}

	void rollback() {
		this.tables.end(Map.of(), this.locked);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResource(this.tables);
	}

	@Override
	public void resume() {
		TransactionSynchronizationManager.bindResource(this.tables, this);
	}

	@Override
	public void afterCompletion(int status) {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.tables);
		if (status == STATUS_COMMITTED) {
			commit();
		}
		else {
			rollback();
		}
	}

}
