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
package dev.idempotency.conformance.faults;

import java.util.List;
import java.util.Map;

import dev.idempotency.conformance.faults.HistoryChecker.Kind;
import dev.idempotency.conformance.faults.HistoryChecker.Violation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The checker finds what it is there to find.
 */
class HistoryCheckerTests {

	private final History history = new History();

	private List<Violation> check(Map<String, List<String>> effects) {
		return HistoryChecker.check(this.history, effects);
	}

	private void exchange(String key, String body, boolean replayed) {
		this.history.sent(key);
		this.history.succeeded(key, body, replayed);
	}

	@Test
	void aFaultlessHistoryHasNoViolations() {
		exchange("a", "{\"id\":\"1\"}", false);
		exchange("a", "{\"id\":\"1\"}", true);
		this.history.sent("executed-without-an-answer");
		this.history.sent("never-executed");
		assertThat(check(Map.of("a", List.of("1"), "executed-without-an-answer", List.of("2")))).isEmpty();
	}

	@Test
	void aSuccessWithoutAnEffectIsFound() {
		exchange("a", "{\"id\":\"1\"}", false);
		assertThat(check(Map.of())).containsExactly(new Violation(Kind.LOST_EFFECT, "a"));
	}

	@Test
	void aSuccessThatNamesAnotherEffectIsFound() {
		exchange("a", "{\"id\":\"1\"}", false);
		assertThat(check(Map.of("a", List.of("2")))).containsExactly(new Violation(Kind.LOST_EFFECT, "a"));
	}

	@Test
	void aSecondEffectIsFoundWithAndWithoutAnAnswer() {
		exchange("a", "{\"id\":\"1\"}", false);
		this.history.sent("b");
		assertThat(check(Map.of("a", List.of("1", "2"), "b", List.of("3", "4")))).containsExactlyInAnyOrder(
				new Violation(Kind.DOUBLED_EFFECT, "a"), new Violation(Kind.DOUBLED_EFFECT, "b"));
	}

	@Test
	void anEffectThatNobodyAskedForIsFound() {
		assertThat(check(Map.of("a", List.of("1")))).containsExactly(new Violation(Kind.STRAY_EFFECT, "a"));
	}

	@Test
	void aReplayThatDiffersIsFound() {
		exchange("a", "{\"id\":\"1\"}", false);
		exchange("a", "{\"id\":\"1\" }", true);
		assertThat(check(Map.of("a", List.of("1")))).containsExactly(new Violation(Kind.CHANGED_ANSWER, "a"));
	}

	@Test
	void aSecondExecutionThatAnswersTheSameIsFound() {
		exchange("a", "{\"id\":\"1\"}", false);
		exchange("a", "{\"id\":\"1\"}", false);
		assertThat(check(Map.of("a", List.of("1")))).containsExactly(new Violation(Kind.TWO_ORIGINALS, "a"));
	}

}
