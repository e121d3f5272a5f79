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
package dev.idempotency.store.jpa;

import java.time.Instant;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.Length;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * A stored response as operators see it. Requests do not use the entity, and tools that
 * create schemas do not see its table.
 */
@Entity
@Immutable
@Table(name = IdempotencyRecord.TABLE)
public final class IdempotencyRecord {

	static final String TABLE = "idempotency_record";

	@Id
	@Column(name = "id", nullable = false, length = 32)
	private byte[] id = {};

	@Column(name = "account", nullable = false)
	private byte[] account = {};

	@Column(name = "operation", nullable = false, length = Length.LONG32)
	private String operation = "";

	@Column(name = "fingerprint", nullable = false)
	private byte[] fingerprint = {};

	@Column(name = "status", nullable = false)
	private short status;

	@Column(name = "content", length = Length.LONG32)
	private byte @Nullable [] content;

	@Column(name = "token", nullable = false)
	private long token;

	@Column(name = "finished_at", nullable = false)
	private Instant finishedAt = Instant.EPOCH;

	@Column(name = "expires_at", nullable = false)
	private Instant expiresAt = Instant.EPOCH;

	IdempotencyRecord() {
	}

	/**
	 * Returns the column of a property.
	 */
	static String columnOf(String property) {
		return switch (property) {
			case "finishedAt" -> "finished_at";
			case "expiresAt" -> "expires_at";
			default -> property;
		};
	}

	public byte[] getId() {
		return this.id.clone();
	}

	public byte[] getAccount() {
		return this.account.clone();
	}

	public String getOperation() {
		return this.operation;
	}

	public byte[] getFingerprint() {
		return this.fingerprint.clone();
	}

	public int getStatus() {
		return this.status;
	}

	public byte @Nullable [] getContent() {
		return (this.content != null) ? this.content.clone() : null;
	}

	public long getToken() {
		return this.token;
	}

	public Instant getFinishedAt() {
		return this.finishedAt;
	}

	public Instant getExpiresAt() {
		return this.expiresAt;
	}

}
