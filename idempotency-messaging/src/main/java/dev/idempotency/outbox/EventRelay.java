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
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyNotification;
import dev.idempotency.IdempotencyNotification.OutboxChecked;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.logging.LogEvent;

/**
 * Relays events while the application runs, on one dedicated thread: after each commit of
 * this node, and regularly for the events that other nodes have left.
 * <p>
 * It starts before the web server and the listeners of messages, and stops after them:
 * what the last requests publish still goes out.
 */
public final class EventRelay implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(EventRelay.class);

	private final Semaphore signal = new Semaphore(0);

	private final JoinedTransaction transaction;

	private final TransactionTemplate transactions;

	private final OutboxTable table;

	private final ContentFormat contents;

	private final OutboxFront front = new OutboxFront();

	private final RelayTurn turn;

	private final NotificationPublisher notifications;

	private final OutboxSettings settings;

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
	 * @param settings the settings of the relay
	 */
	public EventRelay(JoinedTransaction transaction, PlatformTransactionManager transactionManager, EventSender sender,
			NotificationPublisher notifications, JsonMapper mapper, ResponseCodec codec, OutboxSettings settings) {
		this.transaction = transaction;
		this.transactions = new TransactionTemplate(transactionManager);
		// With a snapshot of the whole transaction SKIP LOCKED would fail instead.
		this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.notifications = notifications;
		this.settings = settings;
		this.table = new OutboxTable(transaction.dataSource(), transaction.names(), settings.namespace());
		this.contents = new ContentFormat(mapper, codec);
		this.turn = new RelayTurn(this.table, this.front, this.contents, sender,
				new Destinations(settings.backoff(), System::nanoTime), settings,
				URLEncoder.encode(settings.namespace(), StandardCharsets.UTF_8));
	}

	/**
	 * The caller's side of the outbox.
	 * @param observer stands around each publication
	 * @return publishes events for this relay and those of other nodes
	 */
	public Outbox outbox(PublicationObserver observer) {
		return new TransactionalOutbox(this.transaction, this.transactions, this.table, this.contents, observer,
				this.signal::release);
	}

	@Override
	public synchronized void start() {
		if (this.thread == null) {
			Thread started = new Thread(this::run, "idempotency-outbox");
			started.setDaemon(true);
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
			List<IdempotencyNotification> outcomes = this.transactions.execute((status) -> this.turn.run());
			long from = this.front.position();
			OutboxFront.Rest rest = Objects
				.requireNonNull(this.transactions.execute((status) -> this.table.rest(from)));
			this.front.advance(rest);
			this.lastRun = Instant.now();
			outcomes.forEach(this.notifications::publish);
			this.notifications.publish(new OutboxChecked(rest.age()));
			if (this.failing) {
				this.failing = false;
				LogEvent.OUTBOX_RECOVERED.log(logger, "Events can be relayed again");
			}
			return !outcomes.isEmpty();
		}
		catch (RuntimeException | Error ex) {
			this.front.renew();
			if (!this.failing && isCurrent()) {
				this.failing = true;
				LogEvent.OUTBOX_FAILED.log(logger,
						"Events cannot be relayed; they stay in the outbox, and the relay is tried again", ex);
			}
			return false;
		}
	}

	private void awaitSignal() {
		try {
			if (this.signal.tryAcquire(this.settings.pollingInterval().toNanos(), TimeUnit.NANOSECONDS)) {
				this.signal.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Stops, and waits for the current turn: the broker has that much time to answer for
	 * the events sent.
	 */
	@Override
	public void stop() {
		Thread stopped = detach();
		if (stopped == null) {
			return;
		}
		this.signal.release();
		try {
			stopped.join(this.settings.sendTimeout().multipliedBy(2).toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		stopped.interrupt();
	}

	private synchronized @Nullable Thread detach() {
		Thread detached = this.thread;
		this.thread = null;
		return detached;
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

	/**
	 * Returns the end of the last turn that did not fail, including those that found no
	 * event.
	 * @return the time by the clock of this node, {@code null} if none has yet
	 */
	public @Nullable Instant lastRun() {
		return this.lastRun;
	}

	@Override
	public int getPhase() {
		return 0;
	}

}
