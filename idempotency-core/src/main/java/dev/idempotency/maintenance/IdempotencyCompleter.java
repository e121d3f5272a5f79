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
package dev.idempotency.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.IdempotencyNotification.StoreFailed;
import dev.idempotency.IdempotencyNotification.Stuck;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.engine.ErrorNames;
import dev.idempotency.engine.LeaseKeeper;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.exception.SenderRefusedException;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.LeaseStore.Resumption;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Backoff;
import dev.idempotency.store.UnfinishedStore.Recovery;
import dev.idempotency.store.UnfinishedStore.RecoveryRequest;

/**
 * Completes abandoned requests, on dedicated threads:
 * <ol>
 * <li>Each thread claims one due request and completes it. The claim has a new fence,
 * counts an attempt, and sets the time of the next one. A claimed request never waits for
 * a thread.</li>
 * <li>The thread continues as long as requests are due, and then searches again after the
 * interval.</li>
 * <li>A failure of the store ends the search. The first failure of a streak is logged,
 * and each is published.</li>
 * </ol>
 * The completer stops before everything else, and waits for running work. Work that does
 * not end in time is interrupted, and its lease is given up with the other leases of the
 * node.
 */
public final class IdempotencyCompleter extends RecurringWork {

	private static final Log logger = LogFactory.getLog(IdempotencyCompleter.class);

	/**
	 * The time for which a shutdown waits for running requests, less than the 30 seconds
	 * of a shutdown phase in Spring Boot.
	 */
	private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(20);

	private static final Messages MESSAGES = new Messages(LogEvent.COMPLETER_FAILED,
			"The search for unfinished requests failed; they are kept, and it is retried", LogEvent.COMPLETER_RECOVERED,
			"The search for unfinished requests works again", StoreFailed.completing());

	private final UnfinishedStore unfinished;

	private final LeaseStore store;

	private final LeaseKeeper keeper;

	private final ContentCodec codec;

	private final List<CommandRunner> runners;

	private final AccountRunner accounts;

	private final NotificationPublisher notifications;

	private final Schedule schedule;

	/**
	 * Creates a completer.
	 * @param unfinished the unfinished requests
	 * @param store the leases
	 * @param keeper the heartbeat of leases
	 * @param codec decodes commands
	 * @param runners repeat commands
	 * @param accounts runs commands as their senders
	 * @param notifications the listeners
	 * @param schedule the schedule
	 */
	public IdempotencyCompleter(UnfinishedStore unfinished, LeaseStore store, LeaseKeeper keeper, ContentCodec codec,
			List<CommandRunner> runners, AccountRunner accounts, NotificationPublisher notifications,
			Schedule schedule) {
		super(new Threads("idempotency-completer-", schedule.threads(), SHUTDOWN_LIMIT), schedule.interval(), MESSAGES,
				notifications);
		this.unfinished = unfinished;
		this.store = store;
		this.keeper = keeper;
		this.codec = codec;
		this.runners = List.copyOf(runners);
		this.accounts = accounts;
		this.notifications = notifications;
		this.schedule = schedule;
	}

	@Override
	Duration run(BooleanSupplier stopping) {
		while (!stopping.getAsBoolean() && completeOne()) {
			logger.debug("An unfinished request was claimed");
		}
		return next(this.schedule.interval());
	}

	private boolean completeOne() {
		List<Recovery> claimed = this.unfinished.claimDue(new RecoveryRequest(1, this.keeper.settings().duration(),
				this.schedule.after(), this.schedule.maxAttempts(), this.schedule.backoff()));
		claimed.forEach(this::complete);
		return !claimed.isEmpty();
	}

	/**
	 * Completes a request, or gives it back with the reason for the failure. One whose
	 * sender is refused is stuck at once, and left to that sender. Its lease is extended
	 * from the start: loading the account takes time, too.
	 * @throws RuntimeException if the store cannot take it back; its lease expires then
	 */
	private void complete(Recovery recovery) {
		this.keeper.startHeartbeat(recovery.lease());
		try {
			repeat(recovery);
		}
		catch (Exception | Error ex) {
			giveBack(recovery, ex);
		}
		finally {
			this.keeper.stopHeartbeat(recovery.lease());
		}
	}

	private void repeat(Recovery recovery) throws Exception {
		Command command = Command.decode(recovery.lease().identity(), recovery.fingerprint(), recovery.command(),
				this.codec);
		String reason = command.reasonNotStored();
		if (reason != null) {
			this.accounts.run(command.sender(), () -> {
				throw new SenderRefusedException(reason);
			});
			return;
		}
		CommandRunner runner = CommandRunner.find(this.runners, command.kind())
			.orElseThrow(
					() -> new IllegalStateException("This node cannot repeat commands of the kind " + command.kind()));
		this.accounts.run(command.sender(), () -> runner.run(command, recovery));
	}

	private void giveBack(Recovery recovery, Throwable failure) {
		String error = ErrorNames.of(failure);
		// Without the exception: its message may quote the request.
		LogEvent.COMPLETION_FAILED.log(logger, "An unfinished request could not be completed [" + recovery.operation()
				+ ", attempt " + recovery.progress().attempts() + "]: " + error);
		logger.debug("An unfinished request could not be completed", failure);
		boolean refused = failure instanceof SenderRefusedException;
		this.store.interrupt(recovery.lease(),
				new Interruption(error, true, refused ? Resumption.SENDER_OF_STUCK : Resumption.ANYBODY));
		if (refused) {
			this.notifications.publish(new Stuck(recovery.operation()));
		}
	}

	/**
	 * The schedule of the completer, and its selection of requests.
	 *
	 * @param interval the time between two searches that find nothing, give or take a
	 * tenth
	 * @param after the time after the end of a lease for which the request is left to its
	 * sender
	 * @param maxAttempts the number of attempts after which a request needs manual
	 * resolution
	 * @param threads the number of requests completed at the same time
	 * @param backoff the time between two attempts
	 */
	public record Schedule(Duration interval, Duration after, int maxAttempts, int threads, Backoff backoff) {

	}

}
