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

/**
 * The body of a request: what its handler does.
 *
 * @param key the idempotency key
 * @param variant another text in it is another request with the same key
 * @param script the outcome of each attempt of a client; the last one is that of all
 * further attempts, and of the completer
 * @param before how many milliseconds the handler of a first attempt works between its
 * row and its commit
 * @param after how many milliseconds it works after that
 * @param accounts the rows that it locks, in this order
 * @param heldAt the node at which the handler of a first attempt is held before its
 * commit, and after it, until it may go on; empty for none
 */
record Order(String key, String variant, List<Outcome> script, int before, int after, List<Integer> accounts,
		String heldAt) {

	/**
	 * The number of accounts, which are few so that orders meet.
	 */
	static final int ACCOUNTS = 6;

	/** A place at which a handler is held: its row is written and not yet committed. */
	static final String BEFORE_COMMIT = "before commit";

	/** A place at which a handler is held: its row is committed, its answer is not. */
	static final String AFTER_COMMIT = "after commit";

	Outcome outcome(int attempt) {
		return this.script.get(Math.min(attempt, this.script.size() - 1));
	}

	int before(int attempt) {
		return (attempt == 0) ? this.before : 0;
	}

	int after(int attempt) {
		return (attempt == 0) ? this.after : 0;
	}

	boolean isHeld(int attempt, String node) {
		return attempt == 0 && this.heldAt.equals(node);
	}

	Order withVariant(String other) {
		return new Order(this.key, other, this.script, this.before, this.after, this.accounts, this.heldAt);
	}

	/**
	 * The outcomes of an execution.
	 */
	enum Outcome {

		/** 201 with the id of the row. */
		CREATED(201),

		/** 402 by an exception, after the row was written. */
		DECLINED(402),

		/** 402 by a return value, without a row; an exception in a service. */
		REFUSED(402),

		/** 503 by an exception, after the row was written. */
		UNAVAILABLE(503),

		/** 500 by an exception, after the row was written. */
		FAILED(500);

		private final int status;

		Outcome(int status) {
			this.status = status;
		}

		int status() {
			return this.status;
		}

	}

	/**
	 * The operations of the application, one for each way to protect something.
	 */
	enum Operation {

		TRANSACTIONAL, LEASED, LEASED_TRANSACTIONAL, CALLABLE, RIDE, SERVICE;

		String path() {
			return "/" + name().toLowerCase().replace('_', '-');
		}

		boolean isLeased() {
			return this != TRANSACTIONAL && this != SERVICE;
		}

		/**
		 * Returns the operation of a key.
		 * @param key a key, which begins with the path
		 */
		static Operation of(String key) {
			return valueOf(key.substring(1, key.lastIndexOf('-')).toUpperCase().replace('-', '_'));
		}

	}

}
