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

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.TimeOrderedIds;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.UnfinishedStore.Backoff;

/**
 * Relays events while the application runs, on a dedicated thread: after each commit of
 * this node, and regularly for the events that other nodes have left.
 * <p>
 * It starts before the web server and the listeners of messages, and stops after them:
 * events of the last requests are still sent.
 */
public final class EventRelay implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(EventRelay.class);

	private final BlockingQueue<Boolean> signal = new ArrayBlockingQueue<>(1);

	private final NotificationPublisher notifications;

	private final Settings settings;

	private final RelayTurn turn;

	private final Outbox outbox;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Instant lastRun;

	private boolean failing;

	/**
	 * Creates a relay that does nothing before it is started.
	 * @param transaction the transaction in which events are published
	 * @param transactionManager the transaction manager of the business rows
	 * @param sender gives events to the broker
	 * @param notifications the listeners
	 * @param mapper writes payloads
	 * @param codec encodes payloads at rest
	 * @param observations the registry of the observations of publications
	 * @param settings the settings of the relay
	 */
	public EventRelay(JoinedTransaction transaction, PlatformTransactionManager transactionManager, EventSender sender,
			NotificationPublisher notifications, JsonMapper mapper, ContentCodec codec,
			ObservationRegistry observations, Settings settings) {
		this.notifications = notifications;
		this.settings = settings;
		TransactionTemplate transactions = new TransactionTemplate(transactionManager);
		// With one snapshot for the whole transaction, SKIP LOCKED would fail instead of
		// skipping.
		transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		OutboxTable table = new OutboxTable(transaction.dataSource(), transaction.names(), settings.namespace());
		ContentFormat contents = new ContentFormat(mapper, codec, source(settings.namespace()));
		this.turn = new RelayTurn(transactions, table, contents, sender, settings);
		this.outbox = new TransactionalOutbox(transaction, transactions, table, contents, sender, observations,
				this::wake, new TimeOrderedIds(Clock.systemUTC()::millis));
	}

	/**
	 * Returns the source of all events, as a URI reference.
	 */
	private static String source(String namespace) {
		String source = URLEncoder.encode(namespace, StandardCharsets.UTF_8);
		if (source.length() > OutboxMessage.MAX_BYTES) {
			throw new InvalidIdempotentException(
					"The source of all events, the namespace '" + namespace + "' as a URI, has " + source.length()
							+ " characters, and brokers send up to " + OutboxMessage.MAX_BYTES + ".",
					"Set a shorter idempotency.namespace; characters other than ASCII count several times.");
		}
		return source;
	}

	/**
	 * Returns the caller's side of the outbox.
	 * @return publishes events for this relay and the relays of other nodes
	 */
	public Outbox outbox() {
		return this.outbox;
	}

	/**
	 * Searches for events now.
	 */
	private void wake() {
		this.signal.offer(true);
	}

	@Override
	public synchronized void start() {
		if (this.thread == null) {
			CustomizableThreadFactory threads = new CustomizableThreadFactory("idempotency-outbox-");
			threads.setDaemon(true);
			Thread started = threads.newThread(this::run);
			this.thread = started;
			started.start();
		}
	}

	private void run() {
		while (isCurrent()) {
			if (!relaySome()) {
				awaitSignal();
			}
		}
	}

	private boolean isCurrent() {
		return Thread.currentThread() == this.thread;
	}

	/**
	 * Relays one turn, and returns whether there may be more to do immediately.
	 */
	private boolean relaySome() {
		try {
			List<IdempotencyNotification> outcomes = this.turn.run();
			Duration oldest = this.turn.advance();
			this.lastRun = Instant.now();
			outcomes.forEach(this.notifications::publish);
			this.notifications.publish(new OutboxChecked(oldest));
			if (this.failing) {
				this.failing = false;
				LogEvent.OUTBOX_RECOVERED.log(logger, "Events can be relayed again");
			}
			return !outcomes.isEmpty();
		}
		catch (RuntimeException | Error ex) {
			this.turn.position().renew();
			if (!this.failing && isCurrent()) {
				this.failing = true;
				LogEvent.OUTBOX_FAILED.log(logger,
						"Events cannot be relayed; they stay in the outbox, and the relay is retried", ex);
			}
			return false;
		}
	}

	private void awaitSignal() {
		try {
			this.signal.poll(this.settings.pollingInterval().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Stops, and waits for the current turn, so that the broker can answer for the events
	 * sent.
	 */
	@Override
	public synchronized void stop() {
		Thread stopped = this.thread;
		if (stopped == null) {
			return;
		}
		this.thread = null;
		wake();
		try {
			stopped.join(this.settings.sendTimeout().multipliedBy(2).toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		stopped.interrupt();
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

	/**
	 * Returns the end of the last turn that did not fail, including those that found no
	 * event.
	 * @return the time by the clock of this node, {@code null} if there was none yet
	 */
	public @Nullable Instant lastRun() {
		return this.lastRun;
	}

	@Override
	public int getPhase() {
		return 0;
	}

	/**
	 * The settings of the outbox relay.
	 *
	 * @param namespace separates applications that share a database
	 * @param pollingInterval time between two searches for events of other nodes, and the
	 * pause after the first failure
	 * @param sendTimeout the time that a broker has to acknowledge them
	 */
	public record Settings(String namespace, Duration pollingInterval, Duration sendTimeout) {

		/**
		 * The longest pause between two attempts, in polling intervals: a minute by
		 * default.
		 */
		private static final int LONGEST_PAUSE = 60;

		/**
		 * Returns the pauses after a refused event, or for a destination that does not
		 * answer.
		 */
		Backoff backoff() {
			return new Backoff(this.pollingInterval, this.pollingInterval.multipliedBy(LONGEST_PAUSE));
		}

	}

}
