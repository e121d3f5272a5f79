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
package dev.idempotency.client;

import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.util.Assert;

import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.engine.identity.OutgoingKey;
import dev.idempotency.logging.LogEvent;

/**
 * The selection of the key for a request.
 */
final class RequestKeys {

	private static final Log logger = LogFactory.getLog(RequestKeys.class);

	private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS,
			HttpMethod.TRACE);

	private static final Pattern KEY = Pattern.compile("[\\x21-\\x7E]{1,255}");

	private final ClientSettings settings;

	private final ClientTargets targets;

	private final IdempotencyKeyGenerator generator;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	RequestKeys(ClientSettings settings, IdempotencyKeyGenerator generator) {
		this.settings = settings;
		this.targets = new ClientTargets(settings.targets());
		this.generator = generator;
	}

	/**
	 * Returns the key if a header can carry it. The exception does not show the key,
	 * which may be a secret.
	 */
	static String requireKey(String key) {
		Assert.isTrue(KEY.matcher(key).matches(), "An idempotency key is 1 to 255 visible ASCII characters");
		return key;
	}

	/**
	 * Returns the key of a request: the one in its header, the key of its operation, or a
	 * new one.
	 * @param operation the operation of the request, {@code null} if there is none
	 * @return the key, or {@code null} for a request that has no key and needs none
	 */
	@Nullable RequestKey keyFor(HttpMethod method, URI uri, HttpHeaders headers, @Nullable OutgoingKey operation) {
		if (!SAFE.contains(method)) {
			checkTransaction(method, uri);
		}
		String system = this.targets.of(uri);
		String existing = headers.getFirst(this.settings.header());
		if (existing != null) {
			return new RequestKey(this.settings.header(), existing, OutgoingKey.unmade(), system);
		}
		if (!this.settings.methods().contains(method)) {
			return null;
		}
		String key = (operation != null) ? keyOf(operation, system, method, uri) : newKey();
		return new RequestKey(this.settings.header(), this.settings.syntax().format(key),
				(operation != null) ? operation : OutgoingKey.unmade(), system);
	}

	private String keyOf(OutgoingKey operation, String system, HttpMethod method, URI uri) {
		String key = operation.take(system, method + " " + path(uri), this::newKey);
		return switch (this.settings.keys()) {
			case DERIVED -> OutgoingKey.derived(key, system);
			case SAME -> key;
		};
	}

	private String newKey() {
		return requireKey(this.generator.newKey());
	}

	private static String path(URI uri) {
		return (uri.getRawQuery() != null) ? uri.getRawPath() + "?" + uri.getRawQuery() : uri.getRawPath();
	}

	private void checkTransaction(HttpMethod method, URI uri) {
		OpenTransaction transaction = OpenTransaction.current();
		if (transaction == null) {
			return;
		}
		switch (this.settings.inTransaction()) {
			case WARN -> {
				if (this.warned.add(transaction.operation())) {
					LogEvent.CALL_IN_TRANSACTION.log(logger, describe(method, uri, transaction));
				}
			}
			case FAIL -> throw new IllegalStateException(describe(method, uri, transaction));
			case IGNORE -> {
				// The application has chosen this.
			}
		}
	}

	/**
	 * Describes a request without path and query, which may hold data unfit for a log.
	 */
	private String describe(HttpMethod method, URI uri, OpenTransaction transaction) {
		return transaction.operation() + " calls another system (" + method + " " + this.targets.of(uri)
				+ ") within its transaction. The effect of the call survives a rollback of the transaction, and a retry "
				+ "repeats it. Make the call in mode LEASED or with Phases.foreign, or stage a job; "
				+ "idempotency.client.in-transaction sets the reaction to such calls.";
	}

}
