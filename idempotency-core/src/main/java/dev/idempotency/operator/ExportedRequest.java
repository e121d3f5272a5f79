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
package dev.idempotency.operator;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;

/**
 * The complete state of an unfinished request. It contains the content of the request: it
 * is for operators, not for logs.
 *
 * @param request the request
 * @param command the original request, {@code null} if it is not stored
 * @param steps the results of the completed steps, as JSON by the names of the steps, in
 * their order
 */
public record ExportedRequest(UnfinishedRequest request, @Nullable Command command, Map<String, String> steps) {

	/**
	 * The original request, without credentials and idempotency key.
	 *
	 * @param account the sender's account
	 * @param kind the kind of the request, {@code http} for one of a controller
	 * @param content the request by the names of its parts, as strings, lists and maps;
	 * for {@code http}: {@code method}, {@code uri}, {@code query}, {@code headers}, and
	 * {@code body}, or {@code bodyBase64} if it is not text
	 */
	public record Command(Account account, String kind, Map<String, Object> content) {
	}

}
