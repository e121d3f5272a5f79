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
package dev.idempotency.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionOperations;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.EventRelayed;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.engine.observation.ErrorNames;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.outbox.ReadPosition.Rest;

/**
 * One turn of the relay, within a transaction.
 * <ol>
 * <li>Claim the first events of some keys. The claim is a lock on their rows: it ends
 * with the transaction, and with the node.</li>
 * <li>Send them all, and wait for the broker's answers.</li>
 * <li>Remove those that it has accepted, postpone those that it has refused. The second
 * event of a key becomes the first with that commit, not before.</li>
 * </ol>
 *
 * @param transactions transactions of the business rows
 * @param table the events
 * @param contents reads the content of events
 * @param sender gives events to the broker
 * @param settings the settings of the relay
 * @param source the source of all events
 * @param destinations the destinations that do not answer
 * @param position the position from which the events are read
 */
record RelayTurn(TransactionOperations transactions, OutboxTable table, ContentFormat contents, EventSender sender,
		EventRelay.Settings settings, String source, Destinations destinations, ReadPosition position) {

	private static final Log logger = LogFactory.getLog(RelayTurn.class);

	/**
	 * Relays all events that are ready.
	 * @return the results, in the order of the events; empty if there were none
	 */
	List<IdempotencyNotification> run() {
		return this.transactions.execute((status) -> relay());
	}

	/**
	 * Moves behind the events that were removed.
	 * @return the age of the oldest event
	 */
	Duration advance() {
		long from = this.position.get();
		Rest rest = this.transactions.execute((status) -> this.table.rest(from));
		this.position.advance(rest);
		return rest.age();
	}

	private List<IdempotencyNotification> relay() {
		List<ClaimedEvent> claimed = this.table.claim(this.position.get(), this.destinations.paused(),
				this.settings.batchSize());
		this.position.seen(claimed);
		long start = System.nanoTime();
		List<IdempotencyNotification> outcomes = new ArrayList<>();
		List<Long> relayed = new ArrayList<>();
		Map<ClaimedEvent, CompletableFuture<?>> answers = send(claimed);
		awaitAll(answers.values());
		answers.forEach((event, answer) -> {
			Throwable failure = failureOf(answer);
			if (failure == null) {
				relayed.add(event.position());
				this.destinations.available(event.destination());
				outcomes.add(new EventRelayed(event.destination(), event.age().plusNanos(System.nanoTime() - start)));
			}
			else {
				outcomes.add(failed(event, failure));
			}
		});
		if (!relayed.isEmpty()) {
			this.table.remove(relayed);
		}
		return outcomes;
	}

	/**
	 * Sends the events, and leaves those whose destination does not answer in time for
	 * another turn.
	 */
	private Map<ClaimedEvent, CompletableFuture<?>> send(List<ClaimedEvent> events) {
		Map<ClaimedEvent, CompletableFuture<?>> answers = new LinkedHashMap<>();
		List<String> down = new ArrayList<>();
		long start = System.nanoTime();
		for (ClaimedEvent event : events) {
			boolean late = System.nanoTime() - start > this.settings.sendTimeout().toNanos();
			if (!late && !down.contains(event.destination())) {
				CompletableFuture<?> answer = send(event);
				answers.put(event, answer);
				if (answer.isCompletedExceptionally() && isUnavailable(failureOf(answer))) {
					down.add(event.destination());
				}
			}
		}
		return answers;
	}

	private CompletableFuture<?> send(ClaimedEvent event) {
		try {
			return this.sender.send(this.contents.read(event, this.source));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void awaitAll(Collection<CompletableFuture<?>> answers) {
		try {
			CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
				.get(this.settings.sendTimeout().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Each answer is evaluated separately.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for a broker", ex);
		}
	}

	/**
	 * Returns the failure of an answer, if it has failed by now.
	 */
	private static @Nullable Throwable failureOf(CompletableFuture<?> answer) {
		if (!answer.isDone()) {
			return new TimeoutException();
		}
		return answer.handle((result, failure) -> {
			boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
			return wrapped ? failure.getCause() : failure;
		}).join();
	}

	private static boolean isUnavailable(@Nullable Throwable failure) {
		return failure instanceof DestinationUnavailableException || failure instanceof TimeoutException;
	}

	private IdempotencyNotification failed(ClaimedEvent event, Throwable failure) {
		if (isUnavailable(failure)) {
			this.destinations.unavailable(event.destination(), failure);
			return new EventNotRelayed(event.destination(), RelayFailure.DESTINATION);
		}
		this.destinations.available(event.destination());
		int failures = event.failures() + 1;
		Duration delay = this.settings.backoff().after(failures);
		this.table.postpone(event, failures, delay, ErrorNames.of(failure));
		if (failures == 1) {
			LogEvent.OUTBOX_EVENT_FAILED.log(logger, "Event " + event.id() + " of the type " + event.type()
					+ " is refused by '" + event.destination() + "'; later events with its key wait", failure);
		}
		return new EventNotRelayed(event.destination(), RelayFailure.EVENT);
	}

}
