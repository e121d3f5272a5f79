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
package dev.idempotency.database;

/**
 * A part of the library's schema that a feature needs.
 */
public enum SchemaPart {

	/**
	 * Answers and leases, which every application needs.
	 */
	RECORD("record"),

	/**
	 * Staged jobs.
	 */
	JOB("job"),

	/**
	 * Events to be relayed.
	 */
	OUTBOX("outbox");

	private final String label;

	SchemaPart(String label) {
		this.label = label;
	}

	/**
	 * Returns the label of its change sets, which is also the suffix of the names of its
	 * scripts.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Returns whether a script creates this part.
	 * @param fileName the name of the script's file
	 * @return {@code true} if it does
	 */
	public boolean isMadeBy(String fileName) {
		return fileName.endsWith(this.label + ".sql");
	}

}
