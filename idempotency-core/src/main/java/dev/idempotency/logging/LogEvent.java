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
import org.jspecify.annotations.Nullable;

/**
 * The log events of the library at INFO and above. Each line starts with the id of its
 * event, which does not change between releases, so that alerts and runbooks can refer to
 * it. Lines contain operations, types and ids of the library, but no key, body, header or
 * principal, except the names of operators in {@link #OPERATOR_ACTED} and
 * {@link #CONTENT_SHOWN}.
 * <p>
 * {@code docs/operations/logs.md} describes the meaning of each event and the action to
 * take.
 */
public enum LogEvent {

	/** The locking strategy for the recognised database. */
	DATABASE_SUPPORTED(1001, Level.INFO),
	/** No source of caller identities is configured. */
	CALLERS_SHARED(1002, Level.WARN),
	/** The completer does not run. */
	COMPLETER_OFF(1003, Level.WARN),
	/** The transaction manager of the records was assumed. */
	TRANSACTION_MANAGER_ASSUMED(1004, Level.WARN),
	/** The digests in the table are not keyed. */
	SECRET_MISSING(1008, Level.INFO),
	/** Unauthenticated content is accepted during a migration. */
	UNAUTHENTICATED_ACCEPTED(1009, Level.WARN),
	/** All anonymous callers share one account. */
	ANONYMOUS_SHARED(1010, Level.WARN),
	/** Identities are made with another secret from now on. */
	SECRET_CHANGED(1011, Level.WARN),
	/** A target of a routing data source that could not be asked for its database. */
	ROUTING_TARGET_UNREACHABLE(1013, Level.WARN),
	/** Applications without a name share one space of keys. */
	NAMESPACE_MISSING(1014, Level.WARN),
	/** The database is one for tests. */
	DATABASE_FOR_TESTS(1015, Level.WARN),

	/** A caller without an identity. */
	ANONYMOUS_REFUSED(1101, Level.WARN),
	/** A caller whose principal has no stable name. */
	NAMELESS_REFUSED(1102, Level.WARN),
	/** A form lacks the field with its key. */
	FORM_WITHOUT_KEY(1103, Level.WARN),

	/** Requests cannot be claimed or finished. */
	STORE_UNAVAILABLE(1201, Level.WARN),
	/** Requests can be claimed again. */
	STORE_AVAILABLE(1202, Level.INFO),

	/** A commit got no reply. */
	COMMIT_IN_DOUBT(1301, Level.WARN),
	/** A callback failed after the commit. */
	CALLBACK_FAILED(1302, Level.ERROR),
	/** A rollback failed. */
	ROLLBACK_FAILED(1303, Level.WARN),
	/** The response of a leased request is not stored yet. */
	ANSWER_NOT_STORED(1305, Level.WARN),
	/** A request has shown that its handler cannot be protected. */
	HANDLER_REFUSED(1311, Level.ERROR),
	/** A handler has left a transaction open. */
	TRANSACTION_LEFT_OPEN(1312, Level.ERROR),
	/** The rows of a request are not committed with its record. */
	COMMITTED_ELSEWHERE(1313, Level.WARN),
	/** A handler was called, and its request cannot be found. */
	CALLED_WITHOUT_REQUEST(1315, Level.WARN),
	/** Two steps of a request have the same name. */
	STEP_REPEATED(1316, Level.WARN),

	/** A lease could not be ended. */
	LEASE_NOT_ENDED(1401, Level.WARN),
	/** A heartbeat failed. */
	LEASES_NOT_EXTENDED(1402, Level.WARN),
	/** A shutdown has left requests behind. */
	REQUESTS_LEFT(1403, Level.WARN),
	/** A shutdown could not give leases up. */
	LEASES_NOT_GIVEN_UP(1404, Level.WARN),
	/** Heartbeats wait for connections as requests do. */
	HEARTBEATS_IN_POOL(1405, Level.WARN),

	/** The reaper cannot delete. */
	REAPER_FAILED(1501, Level.WARN),
	/** The reaper can delete again. */
	REAPER_RECOVERED(1502, Level.INFO),
	/** The completer cannot look for requests. */
	COMPLETER_FAILED(1503, Level.WARN),
	/** The completer can look for requests again. */
	COMPLETER_RECOVERED(1504, Level.INFO),
	/** An attempt of the completer failed. */
	COMPLETION_FAILED(1505, Level.WARN),
	/** The records of an account were deleted. */
	ACCOUNT_PURGED(1506, Level.INFO),
	/** An operator has used an action of the actuator. */
	OPERATOR_ACTED(1507, Level.INFO),
	/** An operator has seen the content of a request. */
	CONTENT_SHOWN(1508, Level.INFO),
	/** Long work has made progress. */
	WORK_PROGRESSED(1509, Level.INFO),

	/** A job has failed too often. */
	JOB_DEAD(1601, Level.ERROR),
	/** Jobs use an old time. */
	JOB_CLOCK_FAILED(1602, Level.WARN),
	/** A broker has refused an event. */
	OUTBOX_EVENT_FAILED(1651, Level.WARN),
	/** A destination of events does not answer. */
	OUTBOX_DESTINATION_DOWN(1652, Level.WARN),
	/** A destination of events answers again. */
	OUTBOX_DESTINATION_UP(1653, Level.INFO),
	/** The relay does not work. */
	OUTBOX_FAILED(1654, Level.WARN),
	/** The relay works again. */
	OUTBOX_RECOVERED(1655, Level.INFO),

	/** Another system is called within a transaction. */
	CALL_IN_TRANSACTION(1901, Level.WARN),

	/** A listener failed. */
	LISTENER_FAILED(1701, Level.WARN),
	/** An observation handler failed. */
	OBSERVATION_FAILED(1702, Level.WARN);

	private final int number;

	private final Level level;

	LogEvent(int number, Level level) {
		this.number = number;
		this.level = level;
	}

	/**
	 * Returns the id of the event.
	 * @return {@code IDEM-} and a number
	 */
	public String id() {
		return "IDEM-" + this.number;
	}

	Level level() {
		return this.level;
	}

	/**
	 * Logs the event.
	 * @param logger the logger
	 * @param message the text of the line, without the id
	 */
	public void log(Log logger, String message) {
		log(logger, message, null);
	}

	/**
	 * Logs the event with its cause. Types and stack traces of the failure are logged,
	 * but no messages that may quote requests.
	 * @param logger the logger
	 * @param message the text of the line, without the id
	 * @param failure the cause, {@code null} if there is none
	 */
	public void log(Log logger, String message, @Nullable Throwable failure) {
		String line = "[" + id() + "] " + message;
		Throwable cause = (failure != null) ? LoggedFailure.of(failure) : null;
		switch (this.level) {
			case INFO -> logger.info(line, cause);
			case WARN -> logger.warn(line, cause);
			case ERROR -> logger.error(line, cause);
		}
	}

	enum Level {

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
