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
package dev.idempotency.maintenance;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;
import dev.idempotency.store.OperatorStore.Overview;
import dev.idempotency.store.OperatorStore.Overview.Oldest;
import dev.idempotency.store.Shard;

/**
 * The operators' view of all shards. If one shard cannot be read, the whole view fails.
 *
 * @param one the view of the selected shard
 * @param shards the shards
 */
record ShardedOperatorStore(OperatorStore one, List<Shard> shards) implements OperatorStore {

	@Override
	public Overview overview() {
		List<Overview> all = this.shards.stream().map((shard) -> shard.call(this.one::overview)).toList();
		return new Overview(all.stream().mapToLong(Overview::records).sum(), sum(all, Overview::running),
				sum(all, Overview::waiting), sum(all, Overview::stuck), oldest(all));
	}

	private static int sum(List<Overview> all, ToIntFunction<Overview> count) {
		return all.stream().mapToInt(count).sum();
	}

	private static @Nullable Oldest oldest(List<Overview> all) {
		return all.stream()
			.flatMap((overview) -> Stream.ofNullable(overview.oldest()))
			.max(Comparator.comparing(Oldest::age))
			.orElse(null);
	}

	@Override
	public Optional<KeptRecord> find(Identity identity) {
		return this.shards.stream().flatMap((shard) -> shard.call(() -> this.one.find(identity)).stream()).findFirst();
	}

	@Override
	public List<Identity> between(byte[] first, byte[] last, int limit) {
		return this.shards.stream()
			.flatMap((shard) -> shard.call(() -> this.one.between(first, last, limit)).stream())
			.sorted()
			.limit(limit)
			.toList();
	}

	@Override
	public int countUnfinished(byte[] account) {
		return this.shards.stream().mapToInt((shard) -> shard.call(() -> this.one.countUnfinished(account))).sum();
	}

	@Override
	public int deleteUnfinished(byte[] account) {
		return this.shards.stream().mapToInt((shard) -> shard.call(() -> this.one.deleteUnfinished(account))).sum();
	}

	/**
	 * Reads one shard after the other. A position starts with the number of its shard.
	 */
	@Override
	public Sweep deleteFinished(byte[] account, byte @Nullable [] after, int limit) {
		int index = (after != null) ? ByteBuffer.wrap(after).getInt() : 0;
		byte[] within = (after != null && after.length > Integer.BYTES)
				? Arrays.copyOfRange(after, Integer.BYTES, after.length) : null;
		Sweep sweep = this.shards.get(index).call(() -> this.one.deleteFinished(account, within, limit));
		double part = (index + sweep.part()) / this.shards.size();
		byte[] last = sweep.last();
		if (last != null) {
			return new Sweep(sweep.deleted(), place(index, last), part);
		}
		return new Sweep(sweep.deleted(), (index + 1 < this.shards.size()) ? place(index + 1, new byte[0]) : null,
				part);
	}

	private static byte[] place(int index, byte[] within) {
		return ByteBuffer.allocate(Integer.BYTES + within.length).putInt(index).put(within).array();
	}

}
