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

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.transaction.support.TransactionOperations;
import org.springframework.util.Assert;

import dev.idempotency.database.JoinedTransaction;
import dev.idempotency.engine.identity.TimeOrderedIds;
import dev.idempotency.observation.GuardedObservation;
import dev.idempotency.observation.GuardedObservation.Scope;

/**
 * Writes events into the table, in the caller's transaction.
 *
 * @param transaction the transaction in which events are published
 * @param transactions transactions of the business rows
 * @param table the events
 * @param contents writes the content of events
 * @param sender refuses events that it could never send
 * @param observations the registry of the observations of publications
 * @param wake makes the relay of this node search for events
 * @param ids the ids of events
 */
record TransactionalOutbox(JoinedTransaction transaction, TransactionOperations transactions, OutboxTable table,
		ContentFormat contents, EventSender sender, ObservationRegistry observations, Runnable wake,
		TimeOrderedIds ids) implements Outbox {

	@Override
	public String publish(OutboxMessage message) {
		this.transaction
			.require("The event " + message.typeName() + " cannot be published to '" + message.destination() + "'");
		String id = this.observations.isNoop() ? stage(message) : stageObserved(message);
		JoinedTransaction.afterCommit(this.wake);
		return id;
	}

	/**
	 * Stages an event with the headers of the tracer, so that its receivers continue the
	 * trace of the publishing request.
	 */
	private String stageObserved(OutboxMessage message) {
		PublicationObservationContext context = new PublicationObservationContext(message);
		GuardedObservation observation = new GuardedObservation(this.observations, () -> Observation
			.createNotStarted(null, PublicationObservationContext.convention(), () -> context, this.observations));
		try (Scope scope = observation.openScope()) {
			return stage(context.tracedMessage());
		}
		catch (RuntimeException | Error ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			observation.stop();
		}
	}

	private String stage(OutboxMessage message) {
		String id = (message.id() != null) ? message.id() : this.ids.next().toString();
		OutgoingEvent event = this.contents.event(id, message, Instant.now());
		this.sender.requireSendable(event);
		this.table.stage(event, this.contents.write(event));
		return id;
	}

	@Override
	public List<FailingEvent> failing(int limit) {
		requirePositive(limit);
		return this.table.failing(limit);
	}

	@Override
	public List<Backlog> backlog(int limit) {
		requirePositive(limit);
		return this.table.backlog(limit);
	}

	private static void requirePositive(int limit) {
		Assert.isTrue(limit >= 1, () -> "The limit is " + limit + ". It must be at least 1.");
	}

	@Override
	public void retry(String id) {
		change(id, this.table::retry);
	}

	@Override
	public void discard(String id) {
		change(id, this.table::discard);
	}

	/**
	 * Changes in the current transaction or in a separate one: some pools are configured
	 * without auto-commit.
	 */
	private void change(String id, Predicate<String> statement) {
		Assert.isTrue(this.transactions.execute((status) -> statement.test(id)),
				() -> "No failed event has the id " + id);
		JoinedTransaction.afterCommit(this.wake);
	}

}
