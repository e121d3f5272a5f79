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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.account.Account;
import dev.idempotency.engine.execution.AnswerCache;
import dev.idempotency.engine.identity.DigestKeys;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.operator.AccountPurge.Unfinished;
import dev.idempotency.store.Attempt;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;
import dev.idempotency.store.StoredAnswer;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.InMemoryTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Three stores in memory as shards: what operators ask of one is asked of all.
 */
@ExtendWith(OutputCaptureExtension.class)
class ShardedStoresTests {

	private static final Account ACCOUNT = Account.of("alice");

	private final IdentityFactory identities = new IdentityFactory("test", IdentityFactory::defaultScopeName,
			DigestKeys.none());

	private final Selected shards = new Selected();

	private final Map<String, InMemoryIdempotencyStore> stores = new LinkedHashMap<>();

	private OperatorStore all = new ShardedOperatorStore(selected(), List.of());

	@BeforeEach
	void createShards() {
		this.shards.names()
			.forEach((name) -> this.stores.put(name, new InMemoryIdempotencyStore("test", InstantSource.system())));
		this.all = new ShardedOperatorStore(selected(), Shard.all(this.shards));
	}

	/**
	 * The operators' view of the shard that is selected.
	 */
	private OperatorStore selected() {
		return (OperatorStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { OperatorStore.class }, (proxy, method, arguments) -> {
					InMemoryIdempotencyStore store = this.stores.get(this.shards.current());
					if (store == null) {
						throw new IllegalStateException("No such shard");
					}
					try {
						return method.invoke(store.operators("test"), arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private Identity store(String shard, int number) {
		byte[] digest = new byte[32];
		digest[31] = (byte) number;
		Identity identity = new Identity(digest, this.identities.digest(ACCOUNT));
		FinishedRecord record = new FinishedRecord(identity, "POST /payments", new byte[32],
				new StoredAnswer(201, new byte[] { 1 }), Duration.ofHours(1));
		InMemoryIdempotencyStore store = this.stores.get(shard);
		assertThat(store).isNotNull();
		Boolean stored = new TransactionTemplate(new InMemoryTransactionManager())
			.execute((status) -> store.acquire(identity) instanceof Attempt.Acquired && store.finish(record));
		assertThat(stored).isTrue();
		return identity;
	}

	@Test
	void anAccountIsPurgedOnAllShardsInBatchesOfOne() {
		List<Identity> stored = List.of(store("a", 1), store("a", 4), store("c", 2), store("c", 3), store("c", 5));
		var result = new BatchedAccountPurge(this.all, this.identities, AnswerCache.none(), 1).purge(ACCOUNT,
				Unfinished.REFUSE);
		assertThat(result.answers()).isEqualTo(stored.size());
		assertThat(stored).allSatisfy((identity) -> assertThat(this.all.find(identity)).isEmpty());
		assertThat(this.all.overview().records()).isZero();
	}

	@Test
	void aPurgeOfAllShardsLogsThePartOfAllOfThemThatIsDone(CapturedOutput output) {
		store("a", 1);
		store("c", 2);
		new BatchedAccountPurge(this.all, this.identities, AnswerCache.none(), 10).purge(ACCOUNT, Unfinished.REFUSE);
		assertThat(output).contains("[IDEM-1509] The purge of an account is at 33 %")
			.contains("[IDEM-1509] The purge of an account is at 67 %");
	}

	@Test
	void identitiesOfAllShardsComeInTheirOrder() {
		store("b", 2);
		store("c", 1);
		store("a", 3);
		byte[] last = new byte[32];
		Arrays.fill(last, (byte) 0xff);
		assertThat(this.all.between(new byte[32], last, 2)).extracting((identity) -> identity.digest()[31])
			.containsExactly((byte) 1, (byte) 2);
		assertThat(this.all.overview().records()).isEqualTo(3);
	}

	@Test
	void shardsWithoutNamesOrWithOneNameTwiceAreRefused() {
		assertThatExceptionOfType(InvalidIdempotentException.class)
			.isThrownBy(() -> Shard.all(new Selected(List.of("a", "a"))))
			.withMessageContaining("each name once");
		assertThatExceptionOfType(InvalidIdempotentException.class).isThrownBy(() -> Shard.all(new Selected(List.of())))
			.withMessageContaining("at least one name");
	}

	/**
	 * Shards as an application would have them.
	 */
	private static final class Selected implements Shards {

		private final List<String> names;

		private @Nullable String selected;

		Selected() {
			this(List.of("a", "b", "c"));
		}

		Selected(List<String> names) {
			this.names = names;
		}

		@Override
		public List<String> names() {
			return this.names;
		}

		@Override
		public String current() {
			if (this.selected == null) {
				throw new IllegalStateException("No shard is selected");
			}
			return this.selected;
		}

		@Override
		public <T extends @Nullable Object> T in(String shard, Supplier<T> work) {
			String before = this.selected;
			this.selected = shard;
			try {
				return work.get();
			}
			finally {
				this.selected = before;
			}
		}

	}

}
