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
package dev.idempotency.conformance.operator;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that the library logs at INFO and above, with stack traces.
 */
final class LogLines extends AppenderBase<ILoggingEvent> {

	final List<String> lines = new CopyOnWriteArrayList<>();

	final List<String> all = new CopyOnWriteArrayList<>();

	@Override
	protected void append(ILoggingEvent event) {
		String trace = (event.getThrowableProxy() != null)
				? "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()) : "";
		String line = event.getLevel() + " " + event.getFormattedMessage() + trace;
		this.lines.add(line);
		this.all.add(line);
	}

	long count(String id) {
		return this.lines.stream().filter((line) -> line.contains("[" + id + "]")).count();
	}

	void assertHas(String id, String level) {
		assertThat(this.lines).anyMatch((line) -> line.startsWith(level + " [" + id + "] "));
	}

	void assertNothingSecret() {
		assertThat(this.lines).isNotEmpty()
			.allMatch((line) -> line.matches("(?s)[A-Z]+ \\[IDEM-\\d{4}] .*"))
			.noneMatch((line) -> line.contains(LogTests.SECRET) || line.contains(ALICE));
	}

}
