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

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedAnswer;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.store.Shard;

/**
 * The unfinished requests of all shards. If one shard cannot be read, the whole view
 * fails: a list without its requests would look complete.
 *
 * @param one the unfinished requests of the shard that is selected
 * @param shards the shards
 */
record ShardedRequests(UnfinishedRequests one, List<Shard> shards) implements UnfinishedRequests {

	private static final Comparator<UnfinishedRequest> OLDEST_FIRST = Comparator.comparing(UnfinishedRequest::createdAt)
		.thenComparing(UnfinishedRequest::id);

	@Override
	public List<UnfinishedRequest> stuck(int limit, UnfinishedRequest.@Nullable Position after) {
		return merge(limit, () -> this.one.stuck(limit, after));
	}

	@Override
	public List<UnfinishedRequest> open(int limit, UnfinishedRequest.@Nullable Position after) {
		return merge(limit, () -> this.one.open(limit, after));
	}

	private List<UnfinishedRequest> merge(int limit, Supplier<List<UnfinishedRequest>> page) {
		return this.shards.stream()
			.flatMap((shard) -> shard.call(page).stream())
			.sorted(OLDEST_FIRST)
			.limit(limit)
			.toList();
	}

	@Override
	public Optional<UnfinishedRequest> find(String id) {
		return first(() -> this.one.find(id));
	}

	@Override
	public boolean retry(UnfinishedRequest seen) {
		return any((requests) -> requests.retry(seen));
	}

	@Override
	public boolean abandon(UnfinishedRequest seen, AbandonedAnswer answer) {
		return any((requests) -> requests.abandon(seen, answer));
	}

	private boolean any(Predicate<UnfinishedRequests> change) {
		return this.shards.stream().anyMatch((shard) -> shard.call(() -> change.test(this.one)));
	}

	@Override
	public Optional<ExportedRequest> export(String id) {
		return first(() -> this.one.export(id));
	}

	private <T> Optional<T> first(Supplier<Optional<T>> search) {
		return this.shards.stream().flatMap((shard) -> shard.call(search).stream()).findFirst();
	}

}
