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
package dev.idempotency;

import java.time.Duration;

/**
 * A notification of a protected operation. Notifications carry nothing of unbounded
 * cardinality and nothing secret.
 */
public sealed interface IdempotencyNotification {

	/**
	 * A request was executed and its response stored.
	 *
	 * @param operation the operation's name
	 * @param duration from the claim to the commit
	 */
	record Executed(String operation, Duration duration) implements IdempotencyNotification {
	}

	/**
	 * A duplicate got the stored response.
	 *
	 * @param operation the operation's name
	 * @param duration from the claim to the decoded answer
	 * @param source the source of the response
	 */
	record Replayed(String operation, Duration duration, ReplaySource source) implements IdempotencyNotification {
	}

	/**
	 * A request was refused: nothing was executed for it.
	 *
	 * @param operation the operation's name
	 * @param refusal the reason
	 * @param duration from the claim to the refusal
	 */
	record Refused(String operation, Refusal refusal, Duration duration) implements IdempotencyNotification {
	}

	/**
	 * An execution ended without a final response; its key is free again.
	 *
	 * @param operation the operation's name
	 * @param duration from the claim to the rollback
	 */
	record Released(String operation, Duration duration) implements IdempotencyNotification {
	}

	/**
	 * An execution in phases ended without a final response; completed steps are kept,
	 * and the next delivery or the completer continues after them.
	 *
	 * @param operation the operation's name
	 * @param duration from the claim to the end
	 */
	record Interrupted(String operation, Duration duration) implements IdempotencyNotification {
	}

	/**
	 * An abandoned request was claimed.
	 *
	 * @param operation the operation's name
	 * @param by the claimant
	 */
	record TakenOver(String operation, Claimant by) implements IdempotencyNotification {
	}

	/**
	 * A request has completed steps that this version of the application does not know.
	 *
	 * @param operation the operation's name
	 */
	record UnknownStep(String operation) implements IdempotencyNotification {
	}

	/**
	 * A request needs manual resolution: it is not completed automatically.
	 *
	 * @param operation the operation's name
	 */
	record Stuck(String operation) implements IdempotencyNotification {
	}

	/**
	 * Answers were deleted after their time to live.
	 *
	 * @param records the number
	 */
	record Expired(int records) implements IdempotencyNotification {
	}

	/**
	 * An attempt to run a staged job failed: its handler threw, or its node was lost.
	 *
	 * @param operation {@code job.} and the name of the job's type
	 * @param attempts the number of failed attempts so far
	 */
	record JobFailed(String operation, int attempts) implements IdempotencyNotification {
	}

	/**
	 * A staged job failed for the last time, and needs manual resolution.
	 *
	 * @param operation {@code job.} and the name of the job's type
	 * @param attempts the number of failed attempts
	 */
	record JobDied(String operation, int attempts) implements IdempotencyNotification {
	}

	/**
	 * A broker has accepted an event of the outbox.
	 *
	 * @param destination its destination
	 * @param delay from its publication to the broker's acknowledgement
	 */
	record EventRelayed(String destination, Duration delay) implements IdempotencyNotification {
	}

	/**
	 * A broker has not accepted an event of the outbox; it is tried again.
	 *
	 * @param destination its destination
	 * @param reason the reason
	 */
	record EventNotRelayed(String destination, RelayFailure reason) implements IdempotencyNotification {
	}

	/**
	 * A check of the outbox by this node.
	 *
	 * @param oldest the age of the oldest stored event, zero if there is none
	 */
	record OutboxChecked(Duration oldest) implements IdempotencyNotification {
	}

	/**
	 * The store failed.
	 *
	 * @param operation the operation's name
	 * @param phase the stage
	 */
	record StoreFailed(String operation, StorePhase phase) implements IdempotencyNotification {

		/**
		 * Expired records could not be deleted, which belongs to no operation.
		 * @return a notification whose operation is called {@code reaper}
		 */
		public static StoreFailed reaping() {
			return new StoreFailed("reaper", StorePhase.REAP);
		}

		/**
		 * The leases of this node could not be extended, which belongs to no operation.
		 * @return a notification whose operation is called {@code heartbeat}
		 */
		public static StoreFailed extending() {
			return new StoreFailed("heartbeat", StorePhase.EXTEND);
		}

		/**
		 * The completer could not search for unfinished requests, or could not release
		 * one.
		 * @return a notification whose operation is called {@code completer}
		 */
		public static StoreFailed completing() {
			return new StoreFailed("completer", StorePhase.COMPLETE);
		}

	}

	/**
	 * Reasons for which a request was refused.
	 */
	enum Refusal {

		/**
		 * The key was used for a different request before.
		 */
		MISMATCHED,

		/**
		 * The first delivery is still running.
		 */
		IN_PROGRESS,

		/**
		 * The first delivery has ended without a response and needs manual resolution.
		 */
		STUCK,

		/**
		 * The account has too many requests without a response.
		 */
		LIMITED,

		/**
		 * The first delivery was answered, and its response is not kept or cannot be
		 * read.
		 */
		NOT_REPLAYABLE

	}

	/**
	 * A claimant of an abandoned request.
	 */
	enum Claimant {

		/**
		 * The sender of the request, with another delivery.
		 */
		SENDER,

		/**
		 * The completer.
		 */
		COMPLETER

	}

	/**
	 * Reasons for which an event was not relayed.
	 */
	enum RelayFailure {

		/**
		 * The broker has refused the event; later events with the same key wait for it.
		 */
		EVENT,

		/**
		 * The destination does not answer.
		 */
		DESTINATION

	}

	/**
	 * The source of a replayed answer.
	 */
	enum ReplaySource {

		/**
		 * The database.
		 */
		DATABASE,

		/**
		 * The cache of this node.
		 */
		LOCAL

	}

	/**
	 * The stage of the engine at a failure of the store.
	 */
	enum StorePhase {

		/**
		 * The claim; nothing has run.
		 */
		CLAIM,

		/**
		 * The storage of the response.
		 */
		FINISH,

		/**
		 * The check of a commit that got no reply.
		 */
		RESOLVE,

		/**
		 * The fencing of a phase, or the storage of a step's result.
		 */
		PHASE,

		/**
		 * The extension of leases.
		 */
		EXTEND,

		/**
		 * The search for unfinished requests.
		 */
		COMPLETE,

		/**
		 * The deletion of expired records.
		 */
		REAP

	}

}
