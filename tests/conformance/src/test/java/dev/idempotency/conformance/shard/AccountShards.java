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
package dev.idempotency.conformance.shard;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

import dev.idempotency.store.Shards;

/**
 * The shards, and the one that is selected for the current thread.
 */
@Component
class AccountShards implements Shards {

	static final String NORTH = "north";

	static final String SOUTH = "south";

	/**
	 * In a real application a table that is cached: an account stays where it is when a
	 * shard is added.
	 */
	private static final Map<String, String> HOMES = Map.of("alice", NORTH, "bob", SOUTH);

	private final ThreadLocal<@Nullable String> selected = new ThreadLocal<>();

	@Override
	public List<String> names() {
		return List.of(NORTH, SOUTH);
	}

	@Override
	public String current() {
		String shard = this.selected.get();
		if (shard == null) {
			throw new IllegalStateException("No shard is selected for the thread " + Thread.currentThread().getName());
		}
		return shard;
	}

	@Override
	public <T extends @Nullable Object> T in(String shard, Supplier<T> work) {
		String before = this.selected.get();
		select(shard);
		try {
			return work.get();
		}
		finally {
			select(before);
		}
	}

	void select(@Nullable String shard) {
		if (shard != null) {
			this.selected.set(shard);
		}
		else {
			this.selected.remove();
		}
	}

	/**
	 * Returns the shard of an account.
	 */
	static String home(String account) {
		String home = HOMES.get(account);
		if (home == null) {
			throw new IllegalArgumentException("The account has no home");
		}
		return home;
	}

}
