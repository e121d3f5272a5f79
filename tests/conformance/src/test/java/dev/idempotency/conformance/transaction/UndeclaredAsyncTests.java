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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * UndeclaredAsyncHandlers that answer asynchronously without declaring it, so that
 * nothing can be known before they run.
 */
@Tag("postgresql")
@ExtendWith(OutputCaptureExtension.class)
class UndeclaredAsyncTests {

	private static final List<String> KINDS = List.of("future", "done-future", "callable", "task", "deferred", "mono",
			"flux", "emitter", "stream");

	private static RunningApplication withView;

	private static RunningApplication withoutView;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		withView = start(true);
		withoutView = start(false);
	}

	private static RunningApplication start(boolean openInView) {
		return RunningApplication.start(
				List.of(UndeclaredAsyncHandlers.class, UndeclaredAsyncHandlers.Generic.class,
						UndeclaredAsyncHandlers.CatchAll.class),
				"server.tomcat.threads.max=3", "spring.jpa.open-in-view=" + openInView,
				"spring.datasource.hikari.maximum-pool-size=5", "spring.datasource.hikari.connection-timeout=3000",
				"spring.web.error.include-message=always");
	}

	@AfterAll
	static void stop() {
		withView.close();
		withoutView.close();
	}

	private static RunningApplication application(boolean openInView) {
		return openInView ? withView : withoutView;
	}

	private HttpResponse<byte[]> post(RunningApplication application, String path) {
		return application.post(ALICE, path, this.label + path, Labelled.json(this.label));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("X18")
	void anAsynchronousAnswerInsideTheTransactionIsRefusedAndLeavesThreadsAndPoolClean(boolean openInView) {
		RunningApplication application = application(openInView);
		for (String declared : List.of("object", "entity", "variable", "generic")) {
			for (String kind : KINDS) {
				String path = "/" + declared + "/" + kind;
				HttpResponse<byte[]> first = post(application, path);
				assertOriginal(first, 500);
				assertThat(text(first)).as(path).contains("@Idempotent on", "TRANSACTIONAL", "mode = Mode.LEASED");
				assertOriginal(post(application, path), 500);
			}
		}
		assertThat(application.effects(this.label)).isZero();
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 200, "/plain", "/protected", "/leased/value");
		Leftovers.assertNone(application);
	}

	@ParameterizedTest
	@CsvSource({ "true,none", "true,both", "false,none", "false,both" })
	@Tag("X19")
	void aStartOfTheServletApiInsideTheTransactionIsRefusedAndLeavesThreadsAndPoolClean(boolean openInView,
			String arguments) {
		RunningApplication application = application(openInView);
		for (int i = 0; i < 6; i++) {
			HttpResponse<byte[]> refused = post(application, "/raw/" + arguments + "?" + (i / 2));
			assertOriginal(refused, 500);
			assertThat(text(refused)).contains("@Idempotent on", "#raw", "TRANSACTIONAL", "startAsync");
		}
		assertThat(application.effects(this.label)).isZero();
		Leftovers.assertNone(application);
		Leftovers.assertAcknowledgedIsCommitted(application, 30, "/plain", "/protected");
	}

	@Test
	@Tag("X18")
	void theLogNamesTheHandlerAndTheMode(CapturedOutput output) {
		post(withView, "/object/future");
		assertThat(output.getOut().lines()).anySatisfy((line) -> assertThat(line).contains("ERROR",
				"[IDEM-1311] @Idempotent on", "UndeclaredAsyncHandlers#object", "TRANSACTIONAL", "mode = Mode.LEASED"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased/none", "/leased/both", "/leased-transactional/future", "/phased/future",
			"/leased/emitter", "/leased/stream", "/leased/future-of-stream", "/leased/flux" })
	@Tag("X19")
	void whatCannotBeStoredIsRefusedUnderALeaseToo(String path) {
		for (int i = 0; i < 2; i++) {
			HttpResponse<byte[]> refused = post(withView, path);
			assertOriginal(refused, 500);
			assertThat(text(refused)).contains("@Idempotent on");
		}
		Leftovers.assertNone(withView);
		Leftovers.assertAcknowledgedIsCommitted(withView, 12, "/plain", "/protected");
	}

	@ParameterizedTest
	@ValueSource(strings = { "future", "done-future", "callable", "task", "deferred", "mono" })
	@Tag("O4")
	void oneValueIsStoredUnderALeaseWhateverIsDeclared(String kind) {
		HttpResponse<byte[]> first = post(withView, "/leased/" + kind);
		assertOriginal(first, 200);
		assertThat(text(first)).contains("answer");
		assertReplay(post(withView, "/leased/" + kind), first);
		assertThat(withView.effects(this.label)).isEqualTo(1);
		Leftovers.assertNone(withView);
	}

}
