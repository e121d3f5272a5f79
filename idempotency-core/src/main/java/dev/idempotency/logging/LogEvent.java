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
package dev.idempotency.logging;

import org.apache.commons.logging.Log;

/**
 * Everything that the library logs at INFO and above. The id opens the line and does not
 * change between releases, so that alerts and runbooks can refer to it. Lines carry
 * operations, types and ids that the library made; no key, body, header or principal.
 */
public enum LogEvent {

	/**
	 * How requests are claimed on this database.
	 */
	DATABASE_SUPPORTED(1001, Level.INFO, "The database was recognised, and how requests are claimed on it", "Nothing"),

	/**
	 * There is nobody to tell callers apart.
	 */
	CALLERS_SHARED(1002, Level.WARN, "Callers cannot be told apart: all of them share one space of keys",
			"Add Spring Security, or declare an `AccountResolver` bean; a bean that returns `Account.SHARED` "
					+ "says that this is meant"),

	/**
	 * The completer does not run.
	 */
	COMPLETER_OFF(1003, Level.WARN,
			"Unfinished requests wait for their senders: nothing can check the accounts of others again",
			"Declare an `AccountRunner` bean, or one `UserDetailsService` with Spring Security; or set "
					+ "`idempotency.completer.enabled=false`"),

	/**
	 * Nobody has said where the records belong.
	 */
	TRANSACTION_MANAGER_ASSUMED(1004, Level.WARN,
			"There are several transaction managers, and none is named; the records go to the database of the primary one",
			"Set `idempotency.transaction-manager` to the bean name of the transaction manager of the business rows"),

	/**
	 * The digests in the table are not keyed.
	 */
	SECRET_MISSING(1008, Level.INFO,
			"Identities and fingerprints are digests without a secret: whoever can read the table can try out "
					+ "what a request said",
			"Set `idempotency.secret.identity` before the first request, or live with it where requests hold "
					+ "nothing that can be guessed"),

	/**
	 * What is not encrypted is read for a while.
	 */
	UNAUTHENTICATED_ACCEPTED(1009, Level.WARN,
			"Stored content that is not encrypted is read until a given time, because of a migration to `aes-gcm`",
			"Remove `idempotency.codec.accept-unauthenticated-until` when older answers have expired"),

	/**
	 * All anonymous callers are one account.
	 */
	ANONYMOUS_SHARED(1010, Level.WARN,
			"Anonymous callers share one account: whoever guesses a key of another gets the stored answer",
			"Let the endpoints require authentication; or see to it that clients send random keys, and keep "
					+ "`idempotency.key.min-length-anonymous`"),

	/**
	 * Identities are made with another secret from now on.
	 */
	SECRET_CHANGED(1011, Level.WARN,
			"The secret of identities has changed, as `idempotency.secret.accept-change-until` allows: retries of "
					+ "earlier requests run again",
			"Remove `idempotency.secret.accept-change-until`; all nodes need the same secret"),

	/**
	 * A caller without an identity.
	 */
	ANONYMOUS_REFUSED(1101, Level.WARN, "A caller without an identity was refused with 403; told once by each node",
			"Let the endpoint require authentication, or set `idempotency.anonymous=share`"),

	/**
	 * A caller whose principal has no stable name.
	 */
	NAMELESS_REFUSED(1102, Level.WARN,
			"A caller whose principal has no stable name was refused with 403; logged once for each class of "
					+ "authentication",
			"Declare an `AccountResolver` bean, or let the principal implement `java.security.Principal`"),

	/**
	 * Requests cannot be claimed or finished.
	 */
	STORE_UNAVAILABLE(1201, Level.WARN,
			"The store failed, and callers get 503; logged once, until no request has failed for ten seconds",
			"Look at the cause below the line, and at the database"),

	/**
	 * Requests can be claimed again.
	 */
	STORE_AVAILABLE(1202, Level.INFO, "The store works again", "Nothing"),

	/**
	 * A commit got no reply.
	 */
	COMMIT_IN_DOUBT(1301, Level.WARN,
			"A commit got no reply; the database is asked what became of it, for five seconds at the most",
			"Nothing for one. For many, look at the network and at failovers of the database"),

	/**
	 * A callback failed after the commit.
	 */
	CALLBACK_FAILED(1302, Level.ERROR,
			"A callback of the application failed after the commit; the answer is stored and was sent",
			"Look at the application's `afterCommit` and at its listeners of transactions; what they do is not repeated"),

	/**
	 * A rollback failed.
	 */
	ROLLBACK_FAILED(1303, Level.WARN, "A rollback could not be sent; the database rolls back by itself",
			"Nothing, unless the database is up"),

	/**
	 * The answer to a failure was sent without being stored.
	 */
	FAILURE_NOT_STORED(1304, Level.WARN,
			"The answer to a request that failed was sent and could not be stored; nothing was executed, "
					+ "and a retry runs again",
			"Nothing, unless the database is up"),

	/**
	 * The answer of a leased request is not stored yet.
	 */
	ANSWER_NOT_STORED(1305, Level.WARN,
			"The answer of a request that was executed could not be stored; it is tried again for five seconds",
			"Look at the database: after five seconds its caller gets 503, and a retry may run again when the "
					+ "lease has expired"),

	/**
	 * A request has shown that its handler cannot be protected.
	 */
	HANDLER_REFUSED(1311, Level.ERROR,
			"A request has shown that its handler cannot be protected as it is written; it was rolled back "
					+ "and answered with 500",
			"Write what the line says"),

	/**
	 * A handler has left a transaction open.
	 */
	TRANSACTION_LEFT_OPEN(1312, Level.ERROR,
			"A protected handler has left a transaction open on its thread; it was rolled back, and the thread "
					+ "and the connection are clean",
			"Look at what the handler that the line names begins; use `TransactionTemplate` or `@Transactional`, "
					+ "which end what they begin"),

	/**
	 * The rows of a request are not committed with its record.
	 */
	COMMITTED_ELSEWHERE(1313, Level.WARN,
			"A protected request has committed in a transaction manager other than that of the records: a retry may "
					+ "do that part again. Logged once for each handler",
			"Set `idempotency.transaction-manager` to that one if the business rows are there; else write there by a "
					+ "staged job or in `Phases.foreign`"),

	/**
	 * A lease could not be ended.
	 */
	LEASE_NOT_ENDED(1401, Level.WARN, "A lease could not be ended; until it expires, retries get 409",
			"Nothing, unless the database is up"),

	/**
	 * A heartbeat failed.
	 */
	LEASES_NOT_EXTENDED(1402, Level.WARN,
			"A heartbeat failed; leases expire if none gets through within `idempotency.lease.duration`",
			"Look at the database: another node may take over what runs here"),

	/**
	 * A shutdown has left requests behind.
	 */
	REQUESTS_LEFT(1403, Level.WARN, "Requests were running when the node stopped; their leases are given up",
			"Give the shutdown more time with `spring.lifecycle.timeout-per-shutdown-phase`"),

	/**
	 * A shutdown could not give leases up.
	 */
	LEASES_NOT_GIVEN_UP(1404, Level.WARN, "Leases could not be given up when the node stopped; they expire",
			"Nothing, unless the database is up"),

	/**
	 * The reaper cannot delete.
	 */
	REAPER_FAILED(1501, Level.WARN,
			"Expired records cannot be deleted; they are ignored and stay. Logged once, until it works again",
			"Look at the cause below the line; the table grows"),

	/**
	 * The reaper can delete again.
	 */
	REAPER_RECOVERED(1502, Level.INFO, "Expired records can be deleted again", "Nothing"),

	/**
	 * The completer cannot look for requests.
	 */
	COMPLETER_FAILED(1503, Level.WARN,
			"Unfinished requests cannot be looked for; they stay. Logged once, until it works again",
			"Look at the cause below the line, and at the database"),

	/**
	 * The completer can look for requests again.
	 */
	COMPLETER_RECOVERED(1504, Level.INFO, "Unfinished requests can be looked for again", "Nothing"),

	/**
	 * An attempt of the completer failed.
	 */
	COMPLETION_FAILED(1505, Level.WARN,
			"An unfinished request could not be completed; it is tried again, and is stuck after "
					+ "`idempotency.completer.max-attempts`",
			"Look at what the line names; when it is stuck, go by the runbook"),

	/**
	 * The records of an account were deleted.
	 */
	ACCOUNT_PURGED(1506, Level.INFO, "An operator has deleted the answers of an account", "Nothing"),

	/**
	 * A job has failed too often.
	 */
	JOB_DEAD(1601, Level.ERROR, "A staged job failed too often, and is kept",
			"`StagedJobs.dead()` has its last error; retry or discard it"),

	/**
	 * Jobs go by an old time.
	 */
	JOB_CLOCK_FAILED(1602, Level.WARN, "The database did not tell its time; jobs go by the time that it told last",
			"Nothing, unless the database is up"),

	/**
	 * A broker has refused an event.
	 */
	OUTBOX_EVENT_FAILED(1651, Level.WARN,
			"An event of the outbox is refused; it is tried again, and the later ones of its key wait for it. "
					+ "Logged for its first failure",
			"`Outbox.failing()` has its last error; mend the cause, or discard it"),

	/**
	 * A destination of events does not answer.
	 */
	OUTBOX_DESTINATION_DOWN(1652, Level.WARN,
			"A destination of events does not answer; they stay in the outbox. Logged once, until it answers",
			"Look at the cause below the line, and at the broker"),

	/**
	 * A destination of events answers again.
	 */
	OUTBOX_DESTINATION_UP(1653, Level.INFO, "A destination of events answers again", "Nothing"),

	/**
	 * The relay does not work.
	 */
	OUTBOX_FAILED(1654, Level.WARN, "Events cannot be relayed; they stay. Logged once, until it works again",
			"Look at the cause below the line, and at the database"),

	/**
	 * The relay works again.
	 */
	OUTBOX_RECOVERED(1655, Level.INFO, "Events can be relayed again", "Nothing"),

	/**
	 * The shared cache fails.
	 */
	CACHE_FAILED(1801, Level.WARN,
			"The shared cache does not work, and the database answers instead. Logged once, until it works again",
			"Look at the cause below the line, and at the cache; the database has more to do meanwhile"),

	/**
	 * The shared cache works again.
	 */
	CACHE_RECOVERED(1802, Level.INFO, "The shared cache works again", "Nothing"),

	/**
	 * The shared cache is not shared.
	 */
	CACHE_NOT_SHARED(1803, Level.WARN, "The cache that was to be shared is a map in this process, and never forgets",
			"Configure a `CacheManager` that other nodes see, or use `idempotency.cache.local.enabled=true`"),

	/**
	 * Another system is called inside of a transaction.
	 */
	CALL_IN_TRANSACTION(1901, Level.WARN,
			"A protected operation calls another system inside of its transaction. Logged once for each operation",
			"Make the call in mode `leased` or in `Phases.foreign`, or stage a job"),

	/**
	 * A listener failed.
	 */
	LISTENER_FAILED(1701, Level.WARN, "An `IdempotencyListener` failed; nothing else is affected",
			"Mend the listener that the line names"),

	/**
	 * An observation handler failed.
	 */
	OBSERVATION_FAILED(1702, Level.WARN, "A handler of observations failed; nothing else is affected",
			"Mend the `ObservationHandler` in the stack trace");

	private final int number;

	private final Level level;

	private final String meaning;

	private final String action;

	LogEvent(int number, Level level, String meaning, String action) {
		this.number = number;
		this.level = level;
		this.meaning = meaning;
		this.action = action;
	}

	/**
	 * The id of the event.
	 * @return {@code IDEM-} and a number
	 */
	public String id() {
		return "IDEM-" + this.number;
	}

	/**
	 * How serious it is.
	 * @return the level
	 */
	public Level level() {
		return this.level;
	}

	/**
	 * What has happened.
	 * @return a sentence, in Markdown
	 */
	public String meaning() {
		return this.meaning;
	}

	/**
	 * What to do about it.
	 * @return a sentence, in Markdown
	 */
	public String action() {
		return this.action;
	}

	/**
	 * Log that it has happened.
	 * @param logger where
	 * @param message what is to be told, without the id
	 */
	public void log(Log logger, String message) {
		String line = "[" + id() + "] " + message;
		switch (this.level) {
			case INFO -> logger.info(line);
			case WARN -> logger.warn(line);
			case ERROR -> logger.error(line);
		}
	}

	/**
	 * Log that it has happened, and why. Of the failure the types and stack traces are
	 * logged; what messages may quote of requests is left out.
	 * @param logger where
	 * @param message what is to be told, without the id
	 * @param failure the cause
	 */
	public void log(Log logger, String message, Throwable failure) {
		String line = "[" + id() + "] " + message;
		Throwable cause = LoggedFailure.of(failure);
		switch (this.level) {
			case INFO -> logger.info(line, cause);
			case WARN -> logger.warn(line, cause);
			case ERROR -> logger.error(line, cause);
		}
	}

	/**
	 * How serious an event is.
	 */
	public enum Level {

		/**
		 * Good to know.
		 */
		INFO,

		/**
		 * The library copes with it; many of them need somebody's attention.
		 */
		WARN,

		/**
		 * Needs somebody's attention.
		 */
		ERROR

	}

}
