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

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.springframework.http.HttpMethod;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.client.ClientSettings.Keys;

/**
 * Settings that tests start from: the defaults.
 */
final class Settings {

	static final ClientSettings.Retry RETRY = new ClientSettings.Retry(4, Duration.ofMillis(200),
			Duration.ofSeconds(10), Duration.ofSeconds(30));

	static final ClientSettings.Retry NO_RETRY = new ClientSettings.Retry(1, RETRY.initial(), RETRY.max(),
			RETRY.total());

	private Settings() {
	}

	static ClientSettings with(ClientSettings.Retry retry) {
		return with(retry, HeaderSyntax.LENIENT);
	}

	static ClientSettings with(ClientSettings.Retry retry, HeaderSyntax syntax) {
		return with(retry, syntax, Keys.DERIVED, Map.of());
	}

	static ClientSettings with(Keys keys, Map<String, List<String>> targets) {
		return with(NO_RETRY, HeaderSyntax.LENIENT, keys, targets);
	}

	static ClientSettings with(ClientSettings.Retry retry, HeaderSyntax syntax, Keys keys,
			Map<String, List<String>> targets) {
		return new ClientSettings("Idempotency-Key", syntax, Set.of(HttpMethod.POST, HttpMethod.PATCH), retry,
				ClientSettings.InTransaction.WARN, keys, targets);
	}

}
