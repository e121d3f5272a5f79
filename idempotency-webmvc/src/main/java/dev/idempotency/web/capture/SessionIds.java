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
package dev.idempotency.web.capture;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The ids of sessions that the container writes into addresses for users who refuse
 * cookies, as a path parameter (Servlet 6.1 section 7.1.3). They are credentials, and
 * differ between a request and its retry.
 */
public final class SessionIds {

	/**
	 * Ids of no session, for responses that nobody gets.
	 */
	public static final SessionIds NONE = new SessionIds(List.of());

	private final Pattern pattern;

	/**
	 * Creates the ids.
	 * @param parameters names of the path parameters that carry an id
	 */
	public SessionIds(Collection<String> parameters) {
		this.pattern = Pattern.compile(
				";(?:" + parameters.stream().map(Pattern::quote).collect(Collectors.joining("|")) + ")=[^/?#;,>\"\\s]*",
				Pattern.CASE_INSENSITIVE);
	}

	/**
	 * Removes all ids from an address.
	 */
	public String removeFrom(String address) {
		return (address.indexOf(';') < 0) ? address : this.pattern.matcher(address).replaceAll("");
	}

}
