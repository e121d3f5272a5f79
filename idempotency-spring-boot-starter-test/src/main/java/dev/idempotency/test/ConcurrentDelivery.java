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
package dev.idempotency.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.util.Assert;

/**
 * Delivers one request many times at the same moment, on as many threads, and requires
 * that exactly one delivery is executed: all others get its response as a replay, or 409
 * {@code in-progress}; a last delivery after them is a replay; and each probe counts one
 * effect more.
 *
 * <pre>
 * ConcurrentDelivery.of(8, () -&gt; DeliveredResponse.of(client.post()
 *         .uri("/payments")
 *         .header("Idempotency-Key", "key")
 *         .body(payment)
 *         .exchange()))
 *     .withEffect(payments::count)
 *     .send();
 * </pre>
 */
public final class ConcurrentDelivery {

	private final int times;

	private final Supplier<DeliveredResponse> delivery;

	private final List<EffectProbe> probes = new ArrayList<>();

	private String marker = "Idempotent-Replayed";

	private Set<String> ignoredHeaders = Set.of();

	private ConcurrentDelivery(int times, Supplier<DeliveredResponse> delivery) {
		this.times = times;
		this.delivery = delivery;
	}

	/**
	 * Creates a concurrent delivery. All deliveries must be the same request with the
	 * same key.
	 * @param times the number of deliveries, at least two
	 * @param delivery sends the request once; called on many threads
	 * @return the concurrent delivery, not sent yet
	 */
	public static ConcurrentDelivery of(int times, Supplier<DeliveredResponse> delivery) {
		Assert.isTrue(times >= 2, () -> "A request must be delivered at least twice, not " + times + " times");
		return new ConcurrentDelivery(times, delivery);
	}

	/**
	 * Adds a probe.
	 * @param probe counts one more when the request is executed
	 * @return this
	 */
	public ConcurrentDelivery withEffect(EffectProbe probe) {
		this.probes.add(probe);
		return this;
	}

	/**
	 * Sets the header that marks replays, as {@code idempotency.replay.marker}.
	 * @param header the name of the header
	 * @return this
	 */
	public ConcurrentDelivery withMarker(String header) {
		this.marker = header;
		return this;
	}

	/**
	 * Sets headers to leave out of the comparison, because a filter creates them anew.
	 * @param names their names in lower case
	 * @return this
	 */
	public ConcurrentDelivery ignoringHeaders(String... names) {
		this.ignoredHeaders = Set.of(names);
		return this;
	}

	/**
	 * Sends all deliveries.
	 * @return the response of the delivery that was executed
	 * @throws AssertionError if not exactly one was executed; its message lists the
	 * responses
	 */
	public DeliveredResponse send() {
		List<Long> before = this.probes.stream().map(EffectProbe::count).toList();
		List<DeliveredResponse> responses = deliver();
		DeliveredResponse original = requireOneOriginal(responses);
		ResponseComparison comparison = new ResponseComparison("A request that was delivered concurrently", this.marker,
				this.ignoredHeaders);
		for (DeliveredResponse response : responses) {
			if (response != original && !response.isInProgress()) {
				comparison.requireReplay(original, response, List.of());
			}
		}
		comparison.requireReplay(original, this.delivery.get(), List.of());
		for (int i = 0; i < before.size(); i++) {
			requireOneEffect(before.get(i), this.probes.get(i).count());
		}
		return original;
	}

	private List<DeliveredResponse> deliver() {
		CyclicBarrier start = new CyclicBarrier(this.times);
		return Stream
			.generate(() -> CompletableFuture.supplyAsync(() -> deliverAfter(start),
					(task) -> new Thread(task, "delivery").start()))
			.limit(this.times)
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();
	}

	private DeliveredResponse deliverAfter(CyclicBarrier start) {
		try {
			start.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
		return this.delivery.get();
	}

	private DeliveredResponse requireOneOriginal(List<DeliveredResponse> responses) {
		List<DeliveredResponse> originals = responses.stream()
			.filter((response) -> !response.isMarked(this.marker) && !response.isInProgress())
			.toList();
		if (originals.size() != 1) {
			throw new AssertionError("Expected one of " + this.times + " concurrent deliveries to be executed, but "
					+ originals.size() + " were; is the handler annotated with @Idempotent, and do all have the same "
					+ "key?\n  " + String.join("\n  ", responses.stream().map(this::describe).toList()));
		}
		return originals.get(0);
	}

	private String describe(DeliveredResponse response) {
		return response.status() + (response.isMarked(this.marker) ? " replayed " : " ") + response.text();
	}

	private void requireOneEffect(long before, long after) {
		if (after - before != 1) {
			throw new AssertionError(
					"Expected " + this.times + " concurrent deliveries of one request to have one effect, "
							+ "but they had " + (after - before));
		}
	}

}
