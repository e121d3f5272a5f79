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

import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import dev.idempotency.exception.InvalidIdempotentException;

/**
 * One of the shards.
 *
 * @param name its name, empty for the one database of an application without shards
 * @param shards all of them
 */
public record Shard(String name, Shards shards) {

	/**
	 * Lists all shards.
	 * @param shards the shards
	 * @return at least one, in the order of {@link Shards#names()}
	 * @throws InvalidIdempotentException if there is none, or two have the same name
	 */
	public static List<Shard> all(Shards shards) {
		List<String> names = List.copyOf(shards.names());
		if (names.isEmpty() || new HashSet<>(names).size() < names.size()) {
			throw new InvalidIdempotentException(
					"The bean " + shards.getClass().getName() + " names the shards " + names + ".",
					"Return at least one name from Shards.names(), and each name once.");
		}
		return names.stream().map((name) -> new Shard(name, shards)).toList();
	}

	/**
	 * Returns whether this shard is selected for the connections of the current thread.
	 * @return whether it is selected
	 */
	public boolean isCurrent() {
		return this.shards.current().equals(this.name);
	}

	/**
	 * Runs work with this shard selected.
	 * @param <T> the type of the result
	 * @param work the work
	 * @return its result
	 */
	public <T extends @Nullable Object> T call(Supplier<T> work) {
		return this.shards.in(this.name, work);
	}

	/**
	 * Runs work with this shard selected.
	 * @param work the work
	 */
	public void run(Runnable work) {
		this.shards.<@Nullable Void>in(this.name, () -> {
			work.run();
			return null;
		});
	}

	/**
	 * Creates threads on which this shard is always selected.
	 * @param prefix the beginning of their names
	 * @return the threads
	 */
	public ThreadFactory threads(String prefix) {
		return selecting(named(prefix));
	}

	/**
	 * Creates daemon threads on which this shard is always selected.
	 * @param prefix the beginning of their names
	 * @return the threads
	 */
	public ThreadFactory daemons(String prefix) {
		CustomizableThreadFactory threads = named(prefix);
		threads.setDaemon(true);
		return selecting(threads);
	}

	private CustomizableThreadFactory named(String prefix) {
		return new CustomizableThreadFactory(this.name.isEmpty() ? prefix : prefix + this.name + "-");
	}

	private ThreadFactory selecting(ThreadFactory threads) {
		return (work) -> threads.newThread(() -> run(work));
	}

	/**
	 * Adds the name of the shard to a text.
	 * @param text a text without a full stop
	 * @return the text, unchanged for an application without shards
	 */
	public String in(String text) {
		return this.name.isEmpty() ? text : text + " [shard " + this.name + "]";
	}

}
