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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

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
import dev.idempotency.engine.identity.TimeOrderedIds;
import dev.idempotency.engine.observation.NotificationPublisher;
import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.store.Shard;
import dev.idempotency.store.Shards;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest.Backoff;

/**
 * Relays events while the application runs, on one dedicated thread for each shard: after
 * each commit of this node, and regularly for the events that other nodes have left.
 * <p>
 * It starts before the web server and the listeners of messages, and stops after them:
 * events of the last requests are still sent.
 */
public final class EventRelay implements SmartLifecycle {

	private final JoinedTransaction transaction;

	private final TransactionTemplate transactions;

	private final OutboxTable table;

	private final ContentFormat contents;

	private final NotificationPublisher notifications;

	private final Settings settings;

	private final List<ShardRelay> shards;

	/**
	 * Creates a relay that does nothing before it is started.
	 * @param transaction the transaction in which events are published
	 * @param transactionManager the transaction manager of the business rows
	 * @param sender gives events to the broker
	 * @param notifications the listeners
	 * @param mapper writes payloads
	 * @param codec encodes payloads at rest
	 * @param settings the settings of the relay
	 * @param shards the databases that have events
	 */
	public EventRelay(JoinedTransaction transaction, PlatformTransactionManager transactionManager, EventSender sender,
			NotificationPublisher notifications, JsonMapper mapper, ResponseCodec codec, Settings settings,
			Shards shards) {
		this.transaction = transaction;
		this.transactions = new TransactionTemplate(transactionManager);
		// With one snapshot for the whole transaction, SKIP LOCKED would fail instead of
		// skipping.
		this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.notifications = notifications;
		this.settings = settings;
		this.table = new OutboxTable(transaction.dataSource(), transaction.names(), settings.namespace());
		this.contents = new ContentFormat(mapper, codec);
		this.shards = Shard.all(shards).stream().map((shard) -> relay(shard, sender)).toList();
	}

	private ShardRelay relay(Shard shard, EventSender sender) {
		RelayTurn turn = new RelayTurn(this.transactions, this.table, this.contents, sender, this.settings);
		return new ShardRelay(shard, turn, this.settings.pollingInterval(), this::publish);
	}

	/**
	 * Publishes the results of a turn, and the age of the oldest event of all shards.
	 */
	private void publish(List<IdempotencyNotification> outcomes) {
		outcomes.forEach(this.notifications::publish);
		this.notifications.publish(new OutboxChecked(
				this.shards.stream().map(ShardRelay::oldest).max(Comparator.naturalOrder()).orElse(Duration.ZERO)));
	}

	/**
	 * Returns the caller's side of the outbox.
	 * @param observer observes each publication
	 * @return publishes events for this relay and those of other nodes
	 */
	public Outbox outbox(PublicationObserver observer) {
		return new TransactionalOutbox(this.transaction, this.transactions, this.table, this.contents, observer,
				this.shards, new TimeOrderedIds(Clock.systemUTC()::millis));
	}

	@Override
	public void start() {
		this.shards.forEach(ShardRelay::start);
	}

	/**
	 * Stops, and waits for the current turns, so that the broker can answer for the
	 * events sent.
	 */
	@Override
	public void stop() {
		List<Thread> stopping = this.shards.stream().map(ShardRelay::detach).filter(Objects::nonNull).toList();
		long start = System.nanoTime();
		Duration limit = this.settings.sendTimeout().multipliedBy(2);
		for (Thread stopped : stopping) {
			join(stopped, limit.minusNanos(System.nanoTime() - start));
			stopped.interrupt();
		}
	}

	private static void join(Thread stopped, Duration limit) {
		try {
			stopped.join(Math.max(limit.toMillis(), 1));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.shards.get(0).isRunning();
	}

	/**
	 * Returns the end of the last turn that did not fail, including those that found no
	 * event, on the shard where it was longest ago.
	 * @return the time by the clock of this node, {@code null} if none has yet
	 */
	public @Nullable Instant lastRun() {
		List<@Nullable Instant> runs = new ArrayList<>();
		this.shards.forEach((shard) -> runs.add(shard.lastRun()));
		return runs.contains(null) ? null : runs.stream().min(Comparator.naturalOrder()).orElse(null);
	}

	@Override
	public int getPhase() {
		return 0;
	}

	/**
	 * The settings of the outbox relay.
	 *
	 * @param namespace separates applications that share a database
	 * @param pollingInterval time between two searches for events of other nodes
	 * @param batchSize the number of events sent at once, each of another key
	 * @param sendTimeout the time that a broker has to acknowledge them
	 * @param backoff the time that a failed event, or a destination that does not answer,
	 * waits
	 */
	public record Settings(String namespace, Duration pollingInterval, int batchSize, Duration sendTimeout,
			Backoff backoff) {

		public Settings {
			if (source(namespace).length() > OutboxMessage.MAX_BYTES) {
				throw new InvalidIdempotentException(
						"The source of all events, the namespace '" + namespace + "' as a URI, has "
								+ source(namespace).length() + " characters, and brokers send up to "
								+ OutboxMessage.MAX_BYTES + ".",
						"Set a shorter idempotency.namespace; characters other than ASCII count several times.");
			}
		}

		/**
		 * Returns the source of all events, as a URI reference.
		 */
		String source() {
			return source(this.namespace);
		}

		private static String source(String namespace) {
			return URLEncoder.encode(namespace, StandardCharsets.UTF_8);
		}

	}

}
