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
package dev.idempotency.storecontract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Calls on dedicated threads, each of which has its own transactions.
 */
final class Parallel {

	private static final Executor THREADS = (task) -> {
		Thread thread = new Thread(task, "contract");
		thread.setDaemon(true);
		thread.start();
	};

	private Parallel() {
	}

	/**
	 * Starts a call without waiting for it.
	 */
	static <T> CompletableFuture<T> start(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, THREADS);
	}

	/**
	 * Makes a call on another thread and waits for it.
	 */
	static <T> T elsewhere(Supplier<T> call) {
		return start(call).join();
	}

	/**
	 * Makes a call many times at the same moment, and waits for all.
	 */
	static <T> List<T> run(int times, Supplier<T> call) {
		CyclicBarrier start = new CyclicBarrier(times);
		List<CompletableFuture<T>> calls = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			calls.add(start(() -> {
				await(start);
				return call.get();
			}));
		}
		return calls.stream().map(CompletableFuture::join).toList();
	}

	private static void await(CyclicBarrier start) {
		try {
			start.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
