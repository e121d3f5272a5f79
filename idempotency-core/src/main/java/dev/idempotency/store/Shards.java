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
package dev.idempotency.store;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The databases of an application that spreads its accounts over several of them, behind
 * one routing {@code DataSource} such as Spring's {@code AbstractRoutingDataSource}.
 * Declare a bean of this type; without one there is a single database.
 * <p>
 * The application selects the shard of a request for its thread, by the account only,
 * before the handler is reached. The record of a request is stored in the database of its
 * business rows. All other work is done on every shard, with that shard selected:
 * <ul>
 * <li>Migrations and checks of the tables and of the secret, when the application starts.
 * It does not start while one of the shards cannot be reached.</li>
 * <li>Heartbeats, the reaper, the completer, the runner of jobs and the relay of events:
 * each on threads of the shard, so that a shard that is down does not affect the
 * others.</li>
 * <li>Requests of operators, whose results are merged, and which fail if one of the
 * shards is unreachable.</li>
 * </ul>
 * Leases and times to live use the clock of the shard with the record; the clocks of two
 * shards are never compared.
 */
public interface Shards {

	/**
	 * The single database of an application without shards: nothing is selected.
	 */
	Shards ONE = new Shards() {

		@Override
		public List<String> names() {
			return List.of("");
		}

		@Override
		public String current() {
			return "";
		}

		@Override
		public <T extends @Nullable Object> T in(String shard, Supplier<T> work) {
			return work.get();
		}

	};

	/**
	 * Lists the shards. Called when the application starts: a shard that is added later
	 * is used after a restart.
	 * @return their names, at least one; they appear in thread names and log lines
	 */
	List<String> names();

	/**
	 * Returns the shard that is selected for the connections of the current thread.
	 * @return its name, one of {@link #names()}
	 * @throws IllegalStateException if none is selected. A default would hide a request
	 * that was not routed
	 */
	String current();

	/**
	 * Runs work with a shard selected for the current thread, and restores the previous
	 * selection afterwards. Called outside transactions, whose connections belong to
	 * another shard.
	 * @param <T> the type of the result
	 * @param shard one of {@link #names()}
	 * @param work the work, whose exceptions are passed on
	 * @return its result
	 */
	<T extends @Nullable Object> T in(String shard, Supplier<T> work);

}
