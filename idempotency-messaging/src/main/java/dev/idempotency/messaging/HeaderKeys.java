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
package dev.idempotency.messaging;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Takes the key from the headers. Each kind of id has a separate prefix, so that equal
 * ids of different kinds are different keys.
 *
 * @param names the headers that are tried in turn if a message is not a CloudEvent
 */
record HeaderKeys(List<String> names) implements MessageKeyResolver {

	private static final List<String> CLOUD_EVENTS = List.of("ce_", "ce-", "cloudEvents:", "cloudEvents_");

	@Override
	public @Nullable String resolve(IncomingMessage message) {
		String id = find(message);
		return (id != null && message.fragment() > 0) ? id + "#" + message.fragment() : id;
	}

	private @Nullable String find(IncomingMessage message) {
		Map<String, String> headers = message.headers();
		for (String prefix : CLOUD_EVENTS) {
			String id = headers.get(prefix + "id");
			if (StringUtils.hasText(id)) {
				String source = headers.getOrDefault(prefix + "source", "");
				return "ce:" + source.length() + ":" + source + id;
			}
		}
		for (String name : this.names) {
			String id = headers.get(name);
			if (StringUtils.hasText(id)) {
				return "id:" + id;
			}
		}
		return (message.position() != null) ? "at:" + message.position() : null;
	}

}
