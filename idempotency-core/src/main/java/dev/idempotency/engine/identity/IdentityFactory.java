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
package dev.idempotency.engine.identity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.ScopeResolver;
import dev.idempotency.account.Account;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.store.Identity;

/**
 * Digests (namespace, tenant, issuer, account, kind, scope, key) into an identity. Each
 * part is preceded by its length, so that the boundaries of the parts count. An account
 * without an issuer has one part less.
 */
public final class IdentityFactory {

	private static final int ACCOUNT_LENGTH = 16;

	private final String namespace;

	private final byte[] namespacePart;

	private final ScopeResolver scopeResolver;

	private final DigestKeys keys;

	/**
	 * Creates the factory.
	 * @param namespace the name that separates applications in one database
	 * @param scopeResolver names scopes
	 * @param keys digests identities and fingerprints
	 */
	public IdentityFactory(String namespace, ScopeResolver scopeResolver, DigestKeys keys) {
		this.namespace = namespace;
		this.namespacePart = DigestKeys.bytes(namespace);
		this.scopeResolver = scopeResolver;
		this.keys = keys;
	}

	/**
	 * Returns the name that separates applications in one database.
	 */
	public String namespace() {
		return this.namespace;
	}

	/**
	 * Returns the digests of identities and fingerprints.
	 */
	public DigestKeys keys() {
		return this.keys;
	}

	/**
	 * The kind of response in a record. A response is never replayed as a return value.
	 */
	public enum Kind {

		/**
		 * An HTTP response.
		 */
		RESPONSE,

		/**
		 * The return value of a bean.
		 */
		VALUE

	}

	/**
	 * Creates an identity.
	 * @param operation the called operation
	 * @param kind the kind of its response
	 * @param account the caller
	 * @param key the key's value
	 * @return the identity
	 */
	public Identity create(IdempotentOperation operation, Kind kind, Account account, String key) {
		return create(this.scopeResolver.resolve(operation), kind, account, key);
	}

	/**
	 * Creates an identity.
	 * @param scope the name of the scope, as resolved by a {@link ScopeResolver}
	 * @param kind the kind of response of the operation
	 * @param account the caller
	 * @param key the key's value
	 * @return the identity
	 * @throws MalformedKeyException if the key has more than
	 * {@link DeclaredText#MAX_LENGTH} characters
	 */
	public Identity create(String scope, Kind kind, Account account, String key) {
		if (key.length() > DeclaredText.MAX_LENGTH) {
			throw DeclaredText.tooLong();
		}
		MessageDigest digest = this.keys.identities();
		byte[][] caller = parts(account);
		DigestKeys.update(digest, caller);
		byte[] accountDigest = Arrays.copyOf(digest.digest(), ACCOUNT_LENGTH);
		DigestKeys.update(digest, caller);
		DigestKeys.update(digest, kind.name().getBytes(StandardCharsets.US_ASCII), DigestKeys.bytes(scope),
				DigestKeys.bytes(key));
		return new Identity(digest.digest(), accountDigest);
	}

	/**
	 * Returns the digest of an account, which is part of all its identities.
	 * @param account the account
	 * @return the digest, as in {@link Identity#account()}
	 */
	public byte[] digest(Account account) {
		MessageDigest digest = this.keys.identities();
		DigestKeys.update(digest, parts(account));
		return Arrays.copyOf(digest.digest(), ACCOUNT_LENGTH);
	}

	private byte[][] parts(Account account) {
		byte[] tenant = DigestKeys.bytes(account.tenant());
		byte[] id = DigestKeys.bytes(account.id());
		return account.issuer().isEmpty() ? new byte[][] { this.namespacePart, tenant, id }
				: new byte[][] { this.namespacePart, tenant, DigestKeys.bytes(account.issuer()), id };
	}

	/**
	 * Creates the fingerprint of a request.
	 * @param identity the request's identity
	 * @param operation the called operation, whose name identifies its handler
	 * @param content a digest of the content of the request
	 * @return the fingerprint
	 */
	public Fingerprint fingerprint(Identity identity, IdempotentOperation operation, byte[] content) {
		return fingerprint(identity, operation, null, () -> content);
	}

	/**
	 * Creates the fingerprint of a request whose meaning is found by parsing.
	 * @param identity the request's identity
	 * @param operation the called operation, whose name identifies its handler
	 * @param sent a digest of the content as it was sent, {@code null} if there is only
	 * the other one
	 * @param meaning supplies a digest of the meaning of the content, when it is first
	 * needed
	 * @return the fingerprint
	 */
	public Fingerprint fingerprint(Identity identity, IdempotentOperation operation, byte @Nullable [] sent,
			Supplier<byte[]> meaning) {
		return new Fingerprint(this.keys, identity, operation.name(), sent, meaning);
	}

	/**
	 * Returns the name of the scope that the annotation sets.
	 * @param operation the operation
	 * @return the name
	 */
	public static String defaultScopeName(IdempotentOperation operation) {
		return switch (operation.scope()) {
			case DEFAULT, ACCOUNT -> "account";
			case ENDPOINT -> "endpoint:" + operation.name();
			case RESOURCE -> "resource:" + operation.resource();
		};
	}

	/**
	 * Derives the key for another system that is called in a step of a request. It
	 * depends only on the identity, which includes the namespace, and on the step.
	 * @param identity the identity of the request
	 * @param step the step's name
	 * @return a UUID (RFC 9562 section 5.8)
	 */
	public static String derivedKey(Identity identity, String step) {
		return derivedKey("step", HexFormat.of().formatHex(identity.digest()), step);
	}

	/**
	 * Derives a key from another one.
	 * @param purpose the purpose of the new key
	 * @param key the other key
	 * @param name the part or system for which the new key is
	 */
	static String derivedKey(String purpose, String key, String name) {
		byte[] hash = DigestKeys.digest(purpose, key, name);
		hash[6] = (byte) ((hash[6] & 0x0f) | 0x80);
		hash[8] = (byte) ((hash[8] & 0x3f) | 0x80);
		ByteBuffer bytes = ByteBuffer.wrap(hash);
		return new UUID(bytes.getLong(), bytes.getLong()).toString();
	}

}
