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

package dev.idempotency.testsupport;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ServerSettings}.
 */
class ServerSettingsTests {

	@Test
	void givenSettingsReplaceDefaults() {
		Map<String, String> settings = ServerSettings.with(Map.of("max_connections", "7"));
		assertThat(settings).containsEntry("max_connections", "7").containsEntry("fsync", "on");
	}

	@Test
	void parsesPairsWithSpacesAndCommas() {
		assertThat(ServerSettings.parse(" work_mem = 8MB ; shared_preload_libraries=a,b;"))
			.containsExactlyInAnyOrderEntriesOf(Map.of("work_mem", "8MB", "shared_preload_libraries", "a,b"));
	}

	@Test
	void aPairWithoutValueSaysWhatToWrite() {
		assertThatIllegalArgumentException().isThrownBy(() -> ServerSettings.parse("fsync"))
			.withMessageContaining("name=value");
	}

}
