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
package dev.idempotency.autoconfigure.actuator;

import java.security.Principal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class OperatorCallsTests {

	@Test
	void aLineNamesTheOperator(CapturedOutput output) {
		OperatorCalls.acted(operator("jürgen@example.com"), "retry job 1", "done");
		assertThat(output).contains("[IDEM-1507] operator 'jürgen@example.com': retry job 1, done");
	}

	@Test
	void aNameForgesNoLine(CapturedOutput output) {
		OperatorCalls.acted(operator("eve\r\n[IDEM-1507] operator 'ops'\u2028" + "x".repeat(200)), "retry job 1",
				"done");
		assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-150"))).singleElement()
			.asString()
			.contains("operator 'eve??[IDEM-1507] operator 'ops'?xxx")
			.doesNotContain("x".repeat(101));
	}

	@Test
	void whoHasNoNameIsSaidToHaveNone(CapturedOutput output) {
		OperatorCalls.acted(SecurityContext.NONE, "retry job 1", "done");
		assertThat(output).contains("an operator without a name: retry job 1, done");
	}

	@Test
	void aViewWithoutContentIsNotLogged(CapturedOutput output) {
		OperatorCalls.shown(operator("ops"), new RequestView.Unknown("00"));
		OperatorCalls.shown(operator("ops"), null);
		assertThat(output).doesNotContain("IDEM-1508");
	}

	private static SecurityContext operator(String name) {
		return new SecurityContext() {

			@Override
			public Principal getPrincipal() {
				return () -> name;
			}

			@Override
			public boolean isUserInRole(String role) {
				return false;
			}

		};
	}

}
