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
package dev.idempotency.conformance.setting;

import java.net.http.HttpResponse;
import java.util.List;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.isReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises, checked on an application with {@link ConfiguredPayments}.
 */
final class Promises {

	/** More than one request meets here. */
	private static final int DUPLICATES = 4;

	private static final List<String> PATHS = List.of("/transactional", "/leased", "/leased-transactional", "/phased");

	private final RunningApplication application;

	private Promises(RunningApplication application) {
		this.application = application;
	}

	/**
	 * Checks that each kind of request has one effect and one answer, also after a
	 * failure and in parallel, and leaves nothing behind.
	 */
	static void assertKept(RunningApplication application) {
		Promises promises = new Promises(application);
		for (String path : PATHS) {
			promises.assertOneEffect(path, path + "-café");
			promises.assertRepeatable(path);
			promises.assertOneOriginal(path);
		}
		promises.assertFinalError();
		promises.assertService();
		promises.assertJobs();
		Leftovers.assertNone(application);
	}

	void assertOneEffect(String path, String label) {
		HttpResponse<byte[]> first = this.application.post(ALICE, path, "k" + path, Labelled.json(label));
		assertOriginal(first, 201);
		assertThat(text(first)).contains(label);
		assertReplay(this.application.post(ALICE, path, "k" + path, Labelled.json(label)), first);
		assertProblem(this.application.post(ALICE, path, "k" + path, Labelled.json("other")), 422, "key-reused");
		assertReplay(this.application.post(ALICE, path, "k" + path, Labelled.json(label)), first);
		assertThat(this.application.effects(label)).as(path).isEqualTo(1);
	}

	private void assertRepeatable(String path) {
		String label = path + ConfiguredPayments.FAILS_ONCE;
		assertOriginal(this.application.post(path, label), 503);
		assertThat(this.application.effects(label)).as(path).isEqualTo(path.equals("/phased") ? 1 : 0);
		HttpResponse<byte[]> second = this.application.post(path, label);
		assertOriginal(second, 201);
		assertReplay(this.application.post(path, label), second);
		assertThat(this.application.effects(label)).as(path).isEqualTo(1);
	}

	private void assertOneOriginal(String path) {
		String label = path + "-parallel";
		List<HttpResponse<byte[]>> answers = Parallel.run(DUPLICATES, () -> this.application.post(path, label));
		assertThat(answers).as(path)
			.allSatisfy((answer) -> assertThat(answer.statusCode()).as(text(answer)).isIn(201, 409));
		assertThat(answers).as(path).filteredOn((answer) -> answer.statusCode() == 201 && !isReplay(answer)).hasSize(1);
		assertThat(this.application.effects(label)).as(path).isEqualTo(1);
	}

	private void assertFinalError() {
		HttpResponse<byte[]> refused = this.application.post("/refused", "refused");
		assertOriginal(refused, 404);
		assertReplay(this.application.post("/refused", "refused"), refused);
		assertThat(this.application.effects("refused")).isZero();
	}

	private void assertService() {
		HttpResponse<byte[]> first = this.application.post("/service", "service");
		assertOriginal(first, 201);
		assertThat(this.application.post("/service", "service").body()).isEqualTo(first.body());
		assertThat(this.application.effects("service")).isEqualTo(1);
	}

	private void assertJobs() {
		for (String paid : List.of("/phased-café", "/phased-fails-once", "/phased-parallel")) {
			await().until(() -> this.application.effects("receipt-" + paid) == 1);
		}
	}

}
