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
 * The log events of the library at INFO and above. The id opens the line and does not
 * change between releases, so that alerts and runbooks can refer to it. Lines carry
 * operations, types and ids that the library made; no key, body, header or principal, but
 * for the names of operators in {@link #OPERATOR_ACTED} and {@link #CONTENT_SHOWN}.
 */
public enum LogEvent {

	/**
	 * The locking strategy for the recognised database.
	 */
	DATABASE_SUPPORTED(1001, Level.INFO, "The database was recognised, and its locking strategy selected", "None"),

	/**
	 * No source of caller identities is configured.
	 */
	CALLERS_SHARED(1002, Level.WARN, "Callers cannot be distinguished: all of them share one space of keys",
			"Add Spring Security, or declare an `AccountResolver` bean; a bean that returns "
					+ "`Account.SHARED` confirms the sharing and removes the warning"),

	/**
	 * The completer does not run.
	 */
	COMPLETER_OFF(1003, Level.WARN,
			"The completer is off, since nothing can check the senders' accounts: unfinished requests "
					+ "wait for a retry of their sender",
			"Declare an `AccountRunner` bean, or one `UserDetailsService` with Spring Security; or "
					+ "set `idempotency.completer.enabled=false`"),

	/**
	 * The transaction manager of the records was assumed.
	 */
	TRANSACTION_MANAGER_ASSUMED(1004, Level.WARN,
			"Several transaction managers exist, and none is configured; the records go to the "
					+ "database of the primary one",
			"Set `idempotency.transaction-manager` to the bean name of the transaction manager of the "
					+ "business rows"),

	/**
	 * The digests in the table are not keyed.
	 */
	SECRET_MISSING(1008, Level.INFO,
			"Identities and fingerprints are digests without a secret: a reader of the table can "
					+ "guess the content of requests",
			"Set `idempotency.secret.identity` before the first request, or accept it where requests "
					+ "hold nothing that can be guessed"),

	/**
	 * Unauthenticated content is accepted during a migration.
	 */
	UNAUTHENTICATED_ACCEPTED(1009, Level.WARN,
			"Stored content that is not encrypted is accepted until a given time, because of a "
					+ "migration to `aes-gcm`",
			"Remove `idempotency.codec.accept-unauthenticated-until` after older answers have expired"),

	/**
	 * All anonymous callers share one account.
	 */
	ANONYMOUS_SHARED(1010, Level.WARN,
			"Anonymous callers share one account: a caller who guesses the key of another gets the " + "stored answer",
			"Require authentication for the endpoints; or make clients send random keys, and keep "
					+ "`idempotency.key.min-length-anonymous`"),

	/**
	 * Identities are made with another secret from now on.
	 */
	SECRET_CHANGED(1011, Level.WARN,
			"The secret of identities has changed, as `idempotency.secret.accept-change-until` "
					+ "allows: retries of earlier requests run again",
			"Remove `idempotency.secret.accept-change-until`; configure the same secret on all nodes"),

	/**
	 * A protected method is called where nothing protects it.
	 */
	SELF_INVOCATION(1012, Level.WARN,
			"A method calls an annotated method of the same class through `this`, which bypasses the protecting proxy. "
					+ "Found at start-up, in the class file",
			"Move one of the two methods to another bean, or annotate the caller"),

	/**
	 * A caller without an identity.
	 */
	ANONYMOUS_REFUSED(1101, Level.WARN, "A caller without an identity was refused with 403; logged once by each node",
			"Require authentication for the endpoint, or set `idempotency.anonymous=share`"),

	/**
	 * A caller whose principal has no stable name.
	 */
	NAMELESS_REFUSED(1102, Level.WARN,
			"A caller whose principal has no stable name was refused with 403; logged once for each "
					+ "class of authentication",
			"Declare an `AccountResolver` bean, or implement `java.security.Principal` in the " + "principal's class"),

	/**
	 * Requests cannot be claimed or finished.
	 */
	STORE_UNAVAILABLE(1201, Level.WARN,
			"The store failed, and callers get 503; logged once, until no request has failed for ten " + "seconds",
			"Check the cause below the line, and the database"),

	/**
	 * Requests can be claimed again.
	 */
	STORE_AVAILABLE(1202, Level.INFO, "The store works again", "None"),

	/**
	 * A commit got no reply.
	 */
	COMMIT_IN_DOUBT(1301, Level.WARN,
			"A commit got no reply; its outcome is read from the database, within at most five seconds",
			"None for a single line. For many, check the network and failovers of the database"),

	/**
	 * A callback failed after the commit.
	 */
	CALLBACK_FAILED(1302, Level.ERROR,
			"A callback of the application failed after the commit; the answer is stored and was sent",
			"Check the application's `afterCommit` callbacks and transaction listeners; their work is "
					+ "not repeated"),

	/**
	 * A rollback failed.
	 */
	ROLLBACK_FAILED(1303, Level.WARN, "A rollback could not be sent; the database rolls back automatically",
			"None if the database is down; otherwise check the cause below the line"),

	/**
	 * The answer to a failure was sent without being stored.
	 */
	FAILURE_NOT_STORED(1304, Level.WARN,
			"The answer to a failed request was sent and could not be stored; nothing was committed, and a retry "
					+ "runs again",
			"None if the database is down; otherwise check the cause below the line"),

	/**
	 * The answer of a leased request is not stored yet.
	 */
	ANSWER_NOT_STORED(1305, Level.WARN,
			"The answer of an executed request could not be stored; the store is retried for five " + "seconds",
			"Check the database: after five seconds the caller gets 503, and a retry may run again "
					+ "when the lease has expired"),

	/**
	 * A request has shown that its handler cannot be protected.
	 */
	HANDLER_REFUSED(1311, Level.ERROR,
			"A handler turned out to be unprotectable at run time; the request was rolled back and answered with 500",
			"Make the correction that the line names"),

	/**
	 * A handler has left a transaction open.
	 */
	TRANSACTION_LEFT_OPEN(1312, Level.ERROR,
			"A protected handler has left a transaction open on its thread; it was rolled back, and "
					+ "the thread and the connection are clean",
			"Check the transactions begun by the handler that the line names; use "
					+ "`TransactionTemplate` or `@Transactional`, which end them"),

	/**
	 * The rows of a request are not committed with its record.
	 */
	COMMITTED_ELSEWHERE(1313, Level.WARN,
			"A protected request has committed in a transaction manager other than that of the "
					+ "records: a retry may repeat that part. Logged once for each handler",
			"Set `idempotency.transaction-manager` to that one if the business rows are there; "
					+ "otherwise write there in a staged job or in `Phases.foreign`"),

	/**
	 * A handler writes where no lease holds it back.
	 */
	UNFENCED_WRITE(1314, Level.WARN,
			"An operation in mode `leased` writes outside Spring's transactions: the write is not undone "
					+ "when the lease is lost, and a retry repeats it. Logged once for each operation",
			"Annotate the handler, or the method of the service that writes, with `@Transactional`"),

	/**
	 * A handler was called, and its request cannot be found.
	 */
	CALLED_WITHOUT_REQUEST(1315, Level.WARN,
			"The method of a protected endpoint was called on a thread without a request, and ran unprotected. "
					+ "Logged once for each method",
			"Remove advice that changes the thread from controllers; let other callers use a service"),

	/**
	 * A lease could not be ended.
	 */
	LEASE_NOT_ENDED(1401, Level.WARN, "A lease could not be ended; until it expires, retries get 409",
			"None if the database is down; otherwise check the cause below the line"),

	/**
	 * A heartbeat failed.
	 */
	LEASES_NOT_EXTENDED(1402, Level.WARN,
			"A heartbeat failed; leases expire if none succeeds within `idempotency.lease.duration`",
			"Check the database: another node may take over the requests that run on this one"),

	/**
	 * A shutdown has left requests behind.
	 */
	REQUESTS_LEFT(1403, Level.WARN, "Requests were still running when the node stopped; their leases are given up",
			"Extend the shutdown with `spring.lifecycle.timeout-per-shutdown-phase`"),

	/**
	 * A shutdown could not give leases up.
	 */
	LEASES_NOT_GIVEN_UP(1404, Level.WARN, "Leases could not be given up when the node stopped; they expire",
			"None if the database is down; otherwise check the cause below the line"),

	/**
	 * Heartbeats wait for connections as requests do.
	 */
	HEARTBEATS_IN_POOL(1405, Level.WARN,
			"Heartbeats use connections of the application's pool: while requests exhaust it, leases are not "
					+ "extended. Logged once",
			"Use HikariCP, or declare a `JdbcConnectionDetails` bean with the address of the database, if a new "
					+ "connection sees the same tables as those of the pool; otherwise leave room for one more "
					+ "connection"),

	/**
	 * The reaper cannot delete.
	 */
	REAPER_FAILED(1501, Level.WARN,
			"Expired records cannot be deleted; they are kept, and ignored. Logged once, until it works again",
			"Check the cause below the line; the table grows meanwhile"),

	/**
	 * The reaper can delete again.
	 */
	REAPER_RECOVERED(1502, Level.INFO, "Expired records can be deleted again", "None"),

	/**
	 * The completer cannot look for requests.
	 */
	COMPLETER_FAILED(1503, Level.WARN,
			"The search for unfinished requests fails; the requests are kept. Logged once, until it works again",
			"Check the cause below the line, and the database"),

	/**
	 * The completer can look for requests again.
	 */
	COMPLETER_RECOVERED(1504, Level.INFO, "The search for unfinished requests works again", "None"),

	/**
	 * An attempt of the completer failed.
	 */
	COMPLETION_FAILED(1505, Level.WARN,
			"An unfinished request could not be completed; it is retried, and is stuck after "
					+ "`idempotency.completer.max-attempts`",
			"Check the operation that the line names; once the request is stuck, follow the runbook"),

	/**
	 * The records of an account were deleted.
	 */
	ACCOUNT_PURGED(1506, Level.INFO, "An operator has deleted the answers of an account", "None"),

	/**
	 * An operator has used an action of the actuator.
	 */
	OPERATOR_ACTED(1507, Level.INFO,
			"An operator has retried, abandoned, purged or discarded something with the actuator; the line "
					+ "names the operator, the action and its result. Logger `dev.idempotency.audit`",
			"Keep the lines for as long as an audit may ask for them"),

	/**
	 * An operator has seen the content of a request.
	 */
	CONTENT_SHOWN(1508, Level.INFO,
			"The actuator has shown an operator the content of a request, as `idempotency.endpoint.show-bodies` "
					+ "allows. Logger `dev.idempotency.audit`",
			"Keep the lines for as long as an audit may ask for them"),

	/**
	 * Long work has made progress.
	 */
	WORK_PROGRESSED(1509, Level.INFO,
			"Long work, such as the purge of an account, has done another tenth; the line says how much is done, "
					+ "and an estimate of the time that is left",
			"None"),

	/**
	 * A job has failed too often.
	 */
	JOB_DEAD(1601, Level.ERROR, "A staged job failed permanently, and is kept",
			"Read its last error in `StagedJobs.dead()`; retry or discard it"),

	/**
	 * Jobs use an old time.
	 */
	JOB_CLOCK_FAILED(1602, Level.WARN, "The database's clock could not be read; jobs use its last known time",
			"None if the database is down; otherwise check the cause below the line"),

	/**
	 * A broker has refused an event.
	 */
	OUTBOX_EVENT_FAILED(1651, Level.WARN,
			"The broker refused an event of the outbox; the event is retried, and later ones with its key wait. "
					+ "Logged for its first failure",
			"Read its last error in `Outbox.failing()`; fix the cause, or discard it"),

	/**
	 * A destination of events does not answer.
	 */
	OUTBOX_DESTINATION_DOWN(1652, Level.WARN,
			"A destination of events does not answer; its events stay in the outbox. Logged once, until it answers",
			"Check the cause below the line, and the broker"),

	/**
	 * A destination of events answers again.
	 */
	OUTBOX_DESTINATION_UP(1653, Level.INFO, "A destination of events answers again", "None"),

	/**
	 * The relay does not work.
	 */
	OUTBOX_FAILED(1654, Level.WARN,
			"Events cannot be relayed; they stay in the outbox. Logged once, until it works again",
			"Check the cause below the line, and the database"),

	/**
	 * The relay works again.
	 */
	OUTBOX_RECOVERED(1655, Level.INFO, "Events can be relayed again", "None"),

	/**
	 * Another system is called within a transaction.
	 */
	CALL_IN_TRANSACTION(1901, Level.WARN,
			"A protected operation calls another system within its transaction. Logged once for each " + "operation",
			"Make the call in mode `leased` or in `Phases.foreign`, or stage a job"),

	/**
	 * A listener failed.
	 */
	LISTENER_FAILED(1701, Level.WARN, "An `IdempotencyListener` failed; nothing else is affected",
			"Fix the listener that the line names"),

	/**
	 * An observation handler failed.
	 */
	OBSERVATION_FAILED(1702, Level.WARN, "An `ObservationHandler` failed; nothing else is affected",
			"Fix the handler in the stack trace");

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
	 * Returns the severity.
	 * @return the level
	 */
	public Level level() {
		return this.level;
	}

	/**
	 * Returns the meaning of the event.
	 * @return a sentence, in Markdown
	 */
	public String meaning() {
		return this.meaning;
	}

	/**
	 * Returns the action to take.
	 * @return a sentence, in Markdown
	 */
	public String action() {
		return this.action;
	}

	/**
	 * Logs the event.
	 * @param logger the logger
	 * @param message the text of the line, without the id
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
	 * Logs the event with its cause. Of the failure the types and stack traces are
	 * logged; what messages may quote of requests is left out.
	 * @param logger the logger
	 * @param message the text of the line, without the id
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
	 * The severity of an event.
	 */
	public enum Level {

		/**
		 * For information.
		 */
		INFO,

		/**
		 * Handled by the library; a high frequency needs attention.
		 */
		WARN,

		/**
		 * Needs attention.
		 */
		ERROR

	}

}
