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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.support.TransactionOperations;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.EventNotRelayed;
import dev.idempotency.IdempotencyNotification.EventRelayed;
import dev.idempotency.IdempotencyNotification.RelayFailure;
import dev.idempotency.engine.ErrorNames;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.outbox.ReadPosition.Rest;

/**
 * One turn of the relay, within a transaction.
 * <ol>
 * <li>Claim the first events of some keys. The claim is a lock on their rows: it ends
 * with the transaction, and with the node.</li>
 * <li>Send them all, and wait for the broker's answers until the time-out.</li>
 * <li>Remove those that it has accepted, postpone those that it has refused. The second
 * event of a key becomes the first with that commit, not before.</li>
 * </ol>
 * Events are sent by a separate thread, since a broker can block a sender for any time,
 * for instance in a write to a connection that it does not read. No transaction is open
 * for longer than the time-out and its statements, and none begins while the thread is
 * still blocked.
 */
final class RelayTurn {

	private static final Log logger = LogFactory.getLog(RelayTurn.class);

	/**
	 * The number of events that are sent at once, each of another key.
	 */
	private static final int BATCH_SIZE = 100;

	private static final CompletableFuture<?> NOT_SENT = CompletableFuture.completedFuture(null);

	private final ThreadPoolExecutor sendingThread;

	private final TransactionOperations transactions;

	private final OutboxTable table;

	private final ContentFormat contents;

	private final EventSender sender;

	private final EventRelay.Settings settings;

	private final Destinations destinations;

	private final ReadPosition position = new ReadPosition();

	private CompletableFuture<?> sending = CompletableFuture.completedFuture(null);

	/**
	 * Creates turns, one after another.
	 * @param transactions transactions of the business rows
	 * @param table the events
	 * @param contents reads the content of events
	 * @param sender gives events to the broker
	 * @param settings the settings of the relay
	 */
	RelayTurn(TransactionOperations transactions, OutboxTable table, ContentFormat contents, EventSender sender,
			EventRelay.Settings settings) {
		this.transactions = transactions;
		this.table = table;
		this.contents = contents;
		this.sender = sender;
		this.settings = settings;
		this.destinations = new Destinations(settings.backoff());
		CustomizableThreadFactory threads = new CustomizableThreadFactory("idempotency-outbox-sender-");
		threads.setDaemon(true);
		this.sendingThread = new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
	}

	/**
	 * Relays all events that are ready.
	 * @return the results, in the order of the events; empty if there were none, or if an
	 * earlier turn is still blocked by the broker
	 */
	List<IdempotencyNotification> run() {
		return isDone(this.sending, this.settings.pollingInterval()) ? this.transactions.execute((status) -> relay())
				: List.of();
	}

	/**
	 * Moves behind the events that were removed.
	 * @return the age of the oldest event
	 */
	Duration advance() {
		long from = this.position.get();
		boolean id = this.position.needsId();
		Rest rest = this.transactions.execute((status) -> this.table.rest(from, id));
		this.position.advance(rest);
		return rest.age();
	}

	ReadPosition position() {
		return this.position;
	}

	private List<IdempotencyNotification> relay() {
		List<ClaimedEvent> claimed = this.table.claim(this.position.get(), this.destinations.paused(), BATCH_SIZE);
		this.position.seen(claimed);
		long start = System.nanoTime();
		List<IdempotencyNotification> outcomes = new ArrayList<>();
		List<Long> relayed = new ArrayList<>();
		send(claimed).forEach((event, failure) -> {
			if (failure.isEmpty()) {
				relayed.add(event.position());
				this.destinations.available(event.destination());
				outcomes.add(new EventRelayed(event.destination(), event.age().plusNanos(System.nanoTime() - start)));
			}
			else {
				outcomes.add(failed(event, failure.get()));
			}
		});
		if (!relayed.isEmpty()) {
			this.table.remove(relayed);
		}
		return outcomes;
	}

	/**
	 * Sends events until the time-out, and returns their failures. Events that were not
	 * sent by then are left for another turn.
	 */
	private Map<ClaimedEvent, Optional<Throwable>> send(List<ClaimedEvent> events) {
		if (events.isEmpty()) {
			return Map.of();
		}
		Map<ClaimedEvent, CompletableFuture<?>> answers = new ConcurrentHashMap<>();
		CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(events, answers), this.sendingThread);
		isDone(sent.thenCompose((all) -> allOf(answers)), this.settings.sendTimeout());
		Map<ClaimedEvent, Optional<Throwable>> failures = new LinkedHashMap<>();
		for (ClaimedEvent event : events) {
			// One that has no response yet is not sent any more.
			CompletableFuture<?> answer = answers.putIfAbsent(event, NOT_SENT);
			if (answer != null) {
				failures.put(event, Optional.ofNullable(failureOf(answer)));
			}
		}
		// Cancels the missing answers, so that the sender stops waiting for them.
		this.sending = sent.thenRunAsync(() -> answers.values().forEach((answer) -> answer.cancel(true)),
				this.sendingThread);
		return failures;
	}

	/**
	 * Sends events, except to destinations that are not available. An event has a
	 * response before its sender is called, which may not return.
	 */
	private void send(List<ClaimedEvent> events, Map<ClaimedEvent, CompletableFuture<?>> answers) {
		Set<String> unavailable = new HashSet<>();
		for (ClaimedEvent event : events) {
			if (!unavailable.contains(event.destination())
					&& answers.putIfAbsent(event, new CompletableFuture<>()) == null) {
				CompletableFuture<?> answer = send(event);
				answers.put(event, answer);
				if (answer.isDone() && isUnavailable(failureOf(answer))) {
					unavailable.add(event.destination());
				}
			}
		}
	}

	private CompletableFuture<?> send(ClaimedEvent event) {
		try {
			return this.sender.send(this.contents.read(event));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static CompletableFuture<Void> allOf(Map<ClaimedEvent, CompletableFuture<?>> answers) {
		return CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new));
	}

	private static boolean isDone(CompletableFuture<?> work, Duration timeout) {
		try {
			work.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException ex) {
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * Returns the failure of a response, if it has failed by now.
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
		String reason = reasonOf(failure);
		this.table.postpone(event, failures, delay, reason);
		if (failures == 1) {
			LogEvent.OUTBOX_EVENT_FAILED.log(logger, "Event " + event.id() + " of the type " + event.type()
					+ " is refused by '" + event.destination() + "'; later events with its key wait: " + reason,
					failure);
		}
		return new EventNotRelayed(event.destination(), RelayFailure.EVENT);
	}

	private static String reasonOf(Throwable failure) {
		if (!(failure instanceof EventRefusedException)) {
			return String.valueOf(ErrorNames.of(failure));
		}
		String cause = ErrorNames.of(failure.getCause());
		return failure.getMessage() + ((cause != null) ? " (" + cause + ")" : "");
	}

}
