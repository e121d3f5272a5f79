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
package dev.idempotency.autoconfigure;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the callers' accounts, under {@code idempotency.account}.
 *
 * @param includeIssuer Whether the issuer of a token or the login provider is part of an
 * account. If false, equal names of two issuers are one account.
 */
public record AccountProperties(@DefaultValue("true") boolean includeIssuer) {

	static final AccountProperties DEFAULTS = new AccountProperties(true);

}
