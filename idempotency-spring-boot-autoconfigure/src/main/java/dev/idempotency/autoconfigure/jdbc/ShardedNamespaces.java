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
package dev.idempotency.autoconfigure.jdbc;

import java.security.MessageDigest;
import java.util.List;

import dev.idempotency.store.NamespaceStore;
import dev.idempotency.store.Shard;

/**
 * The check values of all shards, which have to be the same.
 *
 * @param one the check value of the shard that is selected
 * @param shards the shards
 */
record ShardedNamespaces(NamespaceStore one, List<Shard> shards) implements NamespaceStore {

	/**
	 * Returns the value of the first shard that has a different one.
	 */
	@Override
	public byte[] register(byte[] check) {
		for (Shard shard : this.shards) {
			byte[] stored = shard.call(() -> this.one.register(check));
			if (!MessageDigest.isEqual(stored, check)) {
				return stored;
			}
		}
		return check;
	}

	@Override
	public void replace(byte[] check) {
		this.shards.forEach((shard) -> shard.run(() -> this.one.replace(check)));
	}

}
