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
package dev.idempotency.messaging;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

import org.jspecify.annotations.Nullable;

import org.springframework.kafka.support.Acknowledgment;

/**
 * Holds back the acknowledgements of a listener until the transaction of the record has
 * ended. With a crash in between, a record whose offset was committed earlier would be
 * lost.
 */
final class DeferredAcknowledgment implements Acknowledgment, IntPredicate {

	private final Acknowledgment acknowledgment;

	private final IntUnaryOperator places;

	private @Nullable List<Consumer<Acknowledgment>> kept = new ArrayList<>();

	private int firstRefused = Integer.MAX_VALUE;

	/**
	 * Defers acknowledgements.
	 * @param acknowledgment the acknowledgement of the container
	 * @param places maps the index of a record in the listener's list to its index among
	 * the polled records
	 */
	DeferredAcknowledgment(Acknowledgment acknowledgment, IntUnaryOperator places) {
		this.acknowledgment = acknowledgment;
		this.places = places;
	}

	@Override
	public void acknowledge() {
		keep(Acknowledgment::acknowledge);
	}

	@Override
	public void acknowledge(int index) {
		keep((acknowledgment) -> acknowledgment.acknowledge(this.places.applyAsInt(index)));
	}

	@Override
	public void nack(Duration sleep) {
		refuse(0, (acknowledgment) -> acknowledgment.nack(sleep));
	}

	@Override
	public void nack(int index, Duration sleep) {
		refuse(index, (acknowledgment) -> acknowledgment.nack(this.places.applyAsInt(index), sleep));
	}

	@Override
	public boolean isOutOfOrderCommit() {
		return this.acknowledgment.isOutOfOrderCommit();
	}

	/**
	 * Returns whether the listener rejected a message, which must then not be recorded.
	 * @param index the index of the message in the listener's list
	 * @return whether it will be delivered again, or goes to a dead-letter queue
	 */
	@Override
	public synchronized boolean test(int index) {
		return index >= this.firstRefused;
	}

	/**
	 * Forwards the acknowledgements, since the transaction has ended. Later ones are
	 * forwarded immediately.
	 * @param skipped whether the record was not delivered to the listener, and so not
	 * acknowledged
	 */
	void flush(boolean skipped) {
		List<Consumer<Acknowledgment>> actions = end();
		if (actions.isEmpty() && skipped) {
			this.acknowledgment.acknowledge();
		}
		actions.forEach((action) -> action.accept(this.acknowledgment));
	}

	private synchronized List<Consumer<Acknowledgment>> end() {
		List<Consumer<Acknowledgment>> actions = (this.kept != null) ? this.kept : List.of();
		this.kept = null;
		return actions;
	}

	private synchronized void refuse(int index, Consumer<Acknowledgment> action) {
		this.firstRefused = Math.min(this.firstRefused, index);
		keep(action);
	}

	private synchronized void keep(Consumer<Acknowledgment> action) {
		if (this.kept != null) {
			this.kept.add(action);
		}
		else {
			action.accept(this.acknowledgment);
		}
	}

}
