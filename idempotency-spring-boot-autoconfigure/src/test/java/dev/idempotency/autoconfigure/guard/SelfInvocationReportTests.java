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
package dev.idempotency.autoconfigure.guard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.TestContexts;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The report of calls past the proxy, at the start of an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class SelfInvocationReportTests {

	@Test
	void aCallOnThisIsReportedOnceForItsClass(CapturedOutput output) {
		TestContexts.withoutDatabase()
			.withBean("first", Imports.class)
			.withBean("second", Imports.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1012"))).singleElement()
					.asString()
					.contains("WARN", "Imports#importAll calls Imports#pay on this", "annotate the caller");
			});
	}

	@Test
	void nothingIsReportedOfOtherClasses(CapturedOutput output) {
		TestContexts.withoutDatabase().withBean(Payments.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("IDEM-1012");
		});
	}

	static class Imports {

		public void importAll(Iterable<String> ids) {
			ids.forEach(this::pay);
		}

		@Idempotent(key = "#id")
		public void pay(String id) {
		}

	}

	static class Payments {

		@Idempotent(key = "#id")
		public void pay(String id) {
			transfer(id);
		}

		public void transfer(String id) {
		}

	}

}
