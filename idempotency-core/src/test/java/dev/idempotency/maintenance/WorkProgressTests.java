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
package dev.idempotency.maintenance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class WorkProgressTests {

	private final AtomicLong nanos = new AtomicLong();

	private final WorkProgress progress = new WorkProgress(LogFactory.getLog(WorkProgressTests.class),
			"The purge of an account", this.nanos::get);

	private void reached(long second, double part) {
		this.nanos.set(TimeUnit.SECONDS.toNanos(second));
		this.progress.reached(part);
	}

	@Test
	void eachTenthIsToldOnceWithTheTimeThatIsLeft(CapturedOutput output) {
		reached(1, 0.01);
		reached(10, 0.1);
		reached(11, 0.15);
		reached(50, 0.5);
		assertThat(output.getAll().lines().filter((line) -> line.contains("IDEM-1509"))).satisfiesExactly(
				(line) -> assertThat(line).endsWith("The purge of an account is at 10 %; about 91 s are left"),
				(line) -> assertThat(line).endsWith("The purge of an account is at 50 %; about 51 s are left"));
	}

	@Test
	void whatIsDoneInOneStepHasNoProgress(CapturedOutput output) {
		reached(1, 0);
		assertThat(output).doesNotContain("IDEM-1509");
	}

}
