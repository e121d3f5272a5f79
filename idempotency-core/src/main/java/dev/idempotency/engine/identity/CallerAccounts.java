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

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.account.AnonymousAccess;
import dev.idempotency.account.Sender;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.logging.LogEvent;

/**
 * The accounts of callers. Anonymous callers are treated as {@code idempotency.anonymous}
 * says. A thread without a caller, such as the thread of a scheduler or a message
 * listener, acts for the application itself.
 */
public final class CallerAccounts {

	private static final Log logger = LogFactory.getLog(CallerAccounts.class);

	private final AccountResolver resolver;

	/**
	 * The tenant of the current thread, empty if the application has no tenants.
	 */
	private final SingletonSupplier<Optional<Supplier<String>>> tenants;

	private final SenderSource senders;

	private final AnonymousAccess anonymous;

	private final BooleanSupplier requestPresent;

	private final int minAnonymousKey;

	private final AtomicBoolean refusalLogged = new AtomicBoolean();

	/**
	 * Creates the accounts.
	 * @param resolver resolves the caller
	 * @param tenants the source of the tenant if the resolver does not set one
	 * @param senders describes how callers were authenticated
	 * @param anonymous the treatment of anonymous callers
	 * @param requestPresent tests whether the current thread handles a web request
	 * @param minAnonymousKey the minimum length of an anonymous caller's key in
	 * characters
	 */
	public CallerAccounts(AccountResolver resolver, TenantSource tenants, SenderSource senders,
			AnonymousAccess anonymous, BooleanSupplier requestPresent, int minAnonymousKey) {
		this.minAnonymousKey = minAnonymousKey;
		this.resolver = resolver;
		this.tenants = SingletonSupplier.of(tenants::find);
		this.senders = senders;
		this.anonymous = anonymous;
		this.requestPresent = requestPresent;
	}

	/**
	 * Returns the account of the caller on the current thread.
	 * @return the account, {@code null} for an anonymous caller or none
	 */
	public @Nullable Account find() {
		Account account = this.resolver.resolve();
		return (account != null) ? inTenant(account) : null;
	}

	/**
	 * Adds the tenant: the same name may exist in several tenants.
	 */
	private Account inTenant(Account account) {
		Optional<Supplier<String>> current = this.tenants.obtain();
		return (current.isEmpty() || !account.tenant().isEmpty()) ? account
				: new Account(current.get().get(), account.issuer(), account.id());
	}

	/**
	 * Returns the caller of an endpoint. Anonymous callers share one space of keys, so
	 * their keys must be hard to guess.
	 * @param key the key that the caller has chosen, {@code null} for none
	 * @return the account of the caller
	 * @throws AccountRequiredException if the caller is anonymous and such callers are
	 * refused
	 * @throws MalformedKeyException if the caller is anonymous and the key is too short
	 */
	public Account requireCaller(@Nullable String key) {
		Account account = find();
		if (account != null) {
			return account;
		}
		Account shared = anonymous();
		if (key != null && key.length() < this.minAnonymousKey) {
			throw new MalformedKeyException(
					"The idempotency key is too short: without authentication a key has at least "
							+ this.minAnonymousKey + " characters. Send a random one, such as a UUID.");
		}
		return shared;
	}

	/**
	 * Describes the caller on the current thread, for a request that may be completed
	 * without that caller.
	 * @param account the account of the caller
	 * @return the sender
	 */
	public Sender describe(Account account) {
		return this.senders.describe(account);
	}

	/**
	 * Returns the account for which an operation of a service runs.
	 * @return the account, the shared account on a thread without a caller
	 * @throws AccountRequiredException if the caller is anonymous and such callers are
	 * refused
	 */
	public Account requireCurrent() {
		Account account = find();
		if (account != null) {
			return account;
		}
		return isCallerPresent() ? anonymous() : inTenant(Account.SHARED);
	}

	private boolean isCallerPresent() {
		return this.requestPresent.getAsBoolean()
				|| this.senders.describe(Account.SHARED).kind() == Sender.Kind.ANONYMOUS;
	}

	private Account anonymous() {
		if (this.anonymous == AnonymousAccess.SHARE) {
			return inTenant(Account.SHARED);
		}
		// Once: anybody can send any number of such requests.
		if (this.refusalLogged.compareAndSet(false, true)) {
			LogEvent.ANONYMOUS_REFUSED.log(logger,
					"An anonymous caller of an idempotent operation was refused. "
							+ "To make all anonymous callers one account, set idempotency.anonymous=share. "
							+ "This is logged once.");
		}
		throw new AccountRequiredException(
				"This operation requires a caller with an identity. Authenticate, and send the request again.");
	}

	/**
	 * The source of the tenants of an application.
	 */
	@FunctionalInterface
	public interface TenantSource {

		/**
		 * A source for applications without tenants.
		 */
		TenantSource NONE = Optional::empty;

		/**
		 * Finds the tenants. Called once, for the first request.
		 * @return a supplier of the tenant of the current thread, which is empty if that
		 * has none; none if the application has no tenants
		 */
		Optional<Supplier<String>> find();

	}

	/**
	 * The source of the authentication method of the caller on the current thread.
	 */
	@FunctionalInterface
	public interface SenderSource {

		/**
		 * A source for applications without authentication.
		 */
		SenderSource ACCOUNTS = Sender::of;

		/**
		 * Describes the caller on the current thread.
		 * @param account its account
		 * @return the sender, without credentials
		 */
		Sender describe(Account account);

	}

}
