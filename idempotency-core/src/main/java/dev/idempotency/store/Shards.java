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
 * The databases of an application that spreads its accounts over several of them, with
 * one {@code DataSource} in front that routes: Spring's
 * {@code AbstractRoutingDataSource}, for instance. Declare a bean of this type; without
 * one there is the one database.
 * <p>
 * Requests find their shard without the library: the application selects it for the
 * thread, from the account and nothing else, before the handler is reached. The record of
 * a request goes to the database that the business rows go to. Everything that no request
 * does is done on every shard, with that shard selected:
 * <ul>
 * <li>Migrations and checks of the tables and of the secret, when the application starts.
 * It does not start while one of the shards cannot be reached.</li>
 * <li>Heartbeats, the reaper, the completer, the runner of jobs and the relay of events:
 * each on threads of the shard, so that a shard that is down holds up none of the
 * others.</li>
 * <li>Requests of operators, whose results are merged, and which fail if one of the
 * shards cannot be asked.</li>
 * </ul>
 * Nothing compares the clocks of two shards: leases and times to live are those of the
 * shard that has the record.
 */
public interface Shards {

	/**
	 * The one database of an application that has no shards: nothing is selected.
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
	 * Lists the shards. Asked for when the application starts: a shard that is added
	 * later is known after the next start.
	 * @return their names, at least one, which appear in names of threads and in log
	 * lines
	 */
	List<String> names();

	/**
	 * Returns the shard to which the connections of the current thread go.
	 * @return its name, one of {@link #names()}
	 * @throws IllegalStateException if none is selected: there should be no default,
	 * which would hide that a request was not routed
	 */
	String current();

	/**
	 * Runs work with a shard selected for the current thread, whatever was selected
	 * before, and restores that afterwards. Called outside of transactions, whose
	 * connections are those of another shard.
	 * @param <T> the type of the result
	 * @param shard one of {@link #names()}
	 * @param work the work, whose exceptions are passed on
	 * @return its result
	 */
	<T extends @Nullable Object> T in(String shard, Supplier<T> work);

}
