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
package dev.idempotency.conformance.app;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;

/**
 * Calls on threads of their own.
 */
public final class Parallel {

	private static final Executor THREADS = (task) -> new Thread(task, "parallel").start();

	private Parallel() {
	}

	/**
	 * Starts a call without waiting for it.
	 */
	public static <T> CompletableFuture<T> start(Callable<T> call) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return call.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}, THREADS);
	}

	/**
	 * Makes a call many times at the same moment, and waits for all.
	 */
	public static <T> List<T> run(int times, Callable<T> call) {
		CyclicBarrier start = new CyclicBarrier(times);
		List<CompletableFuture<T>> calls = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			calls.add(start(() -> {
				start.await();
				return call.call();
			}));
		}
		return calls.stream().map(CompletableFuture::join).toList();
	}

}
