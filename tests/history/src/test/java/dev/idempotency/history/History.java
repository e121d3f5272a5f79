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
package dev.idempotency.history;

import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Everything that clients, the operator and the faults have done, in order.
 */
final class History {

	private final long start;

	private final AtomicLong sequence = new AtomicLong();

	private final Queue<Event> events = new ConcurrentLinkedQueue<>();

	History() {
		this.start = System.nanoTime();
	}

	/**
	 * An event. The sequence orders events as they happened in this JVM.
	 *
	 * @param sequence the position in the history
	 * @param nanos the time since the start
	 * @param key the key of the order, empty for a fault
	 * @param what the event
	 */
	record Event(long sequence, long nanos, String key, What what) {

		@Override
		public String toString() {
			return String.format(Locale.ROOT, "%9.3f s  %s", this.nanos / 1e9, this.what);
		}

	}

	sealed interface What {

	}

	/**
	 * A client sends a request.
	 *
	 * @param client the number of the client among those of its key
	 * @param variant the body
	 * @param attempt the number of requests that it has sent before
	 * @param node the node
	 */
	record Sent(int client, String variant, int attempt, String node) implements What {

		@Override
		public String toString() {
			return "client %d sends body %s to node %s (attempt %d)".formatted(this.client, this.variant, this.node,
					this.attempt);
		}

	}

	/**
	 * A client has got an answer.
	 *
	 * @param request the position of the request
	 * @param sent the request
	 * @param status the status
	 * @param replayed whether it is marked as a replay
	 * @param body the body
	 */
	record Answered(long request, Sent sent, int status, boolean replayed, String body) implements What {

		/**
		 * Returns whether a client sends nothing more after this answer: a success, a
		 * refusal by the handler (402) or by an operator (410), or a mismatch.
		 */
		boolean isFinal() {
			return isOutcome() || isMismatch();
		}

		/**
		 * Returns whether it tells the outcome of the request.
		 */
		boolean isOutcome() {
			return isSuccess() || this.status == 402 || this.status == 410;
		}

		boolean isSuccess() {
			return this.status >= 200 && this.status < 300;
		}

		boolean isMismatch() {
			return this.status == 422;
		}

		@Override
		public String toString() {
			return "client %d gets %d%s from node %s: %s".formatted(this.sent.client(), this.status,
					this.replayed ? " (replayed)" : "", this.sent.node(), this.body);
		}

	}

	/**
	 * A client gets no answer.
	 *
	 * @param request the position of the request
	 * @param sent the request
	 * @param reason the exception
	 */
	record Unanswered(long request, Sent sent, String reason) implements What {

		@Override
		public String toString() {
			return "client %d gets nothing from node %s: %s".formatted(this.sent.client(), this.sent.node(),
					this.reason);
		}

	}

	/**
	 * A fault, or an action of the operator.
	 *
	 * @param text its description
	 */
	record Note(String text) implements What {

		@Override
		public String toString() {
			return this.text;
		}

	}

	long add(String key, What what) {
		long position = this.sequence.getAndIncrement();
		this.events.add(new Event(position, System.nanoTime() - this.start, key, what));
		return position;
	}

	void note(String key, String text) {
		add(key, new Note(text));
	}

	/**
	 * The events of all keys that have some, and the faults.
	 */
	Stream<Event> events() {
		return this.events.stream();
	}

	/**
	 * Describes all that has to do with a key: its events, and the faults between them.
	 */
	String of(String key) {
		List<Event> own = events().filter((event) -> event.key().equals(key)).toList();
		if (own.isEmpty()) {
			return "";
		}
		long first = own.get(0).sequence();
		long last = own.get(own.size() - 1).sequence();
		StringBuilder text = new StringBuilder();
		events()
			.filter((event) -> event.key().equals(key)
					|| (event.key().isEmpty() && event.sequence() >= first && event.sequence() <= last))
			.forEach((event) -> text.append(event).append('\n'));
		return text.toString();
	}

}
