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

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.Responses.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that answer asynchronously without declaring it, so that nothing can be known
 * before they run.
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
		return RunningApplication.start(List.of(Handlers.class, Generic.class, CatchAll.class),
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
				"[IDEM-1311] @Idempotent on", "Handlers#object", "TRANSACTIONAL", "mode = Mode.LEASED"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leased/none", "/leased/both", "/leased-transactional/future", "/phased/future",
			"/leased/emitter", "/leased/stream", "/leased/flux" })
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

	static Object answer(String kind) {
		Map<String, String> value = Map.of("value", "answer");
		return switch (kind) {
			case "future" -> Parallel.start(() -> value);
			case "done-future" -> CompletableFuture.completedFuture(value);
			case "callable" -> (Callable<Object>) () -> value;
			case "task" -> new WebAsyncTask<>(() -> value);
			case "deferred" -> {
				DeferredResult<Object> result = new DeferredResult<>();
				Parallel.start(() -> result.setResult(value));
				yield result;
			}
			case "mono" -> Mono.just(value);
			case "flux" -> Flux.just(value, value);
			case "emitter" -> {
				SseEmitter emitter = new SseEmitter();
				Parallel.start(() -> {
					emitter.send("answer");
					emitter.complete();
					return null;
				});
				yield emitter;
			}
			case "stream" -> (StreamingResponseBody) (out) -> out.write("answer".getBytes());
			default -> value;
		};
	}

	@RestController
	static class Handlers {

		private final Effects effects;

		Handlers(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping("/object/{kind}")
		Object object(@PathVariable String kind, @RequestBody Labelled body) {
			this.effects.record(body.label());
			return answer(kind);
		}

		@Idempotent
		@PostMapping("/entity/{kind}")
		ResponseEntity<?> entity(@PathVariable String kind, @RequestBody Labelled body) {
			this.effects.record(body.label());
			return ResponseEntity.ok(answer(kind));
		}

		@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
		@Idempotent
		@PostMapping("/variable/{kind}")
		<T> T variable(@PathVariable String kind, @RequestBody Labelled body) {
			this.effects.record(body.label());
			return (T) answer(kind);
		}

		@Idempotent
		@PostMapping("/raw/{arguments}")
		void raw(@PathVariable String arguments, @RequestBody Labelled body, HttpServletRequest request,
				HttpServletResponse response) {
			this.effects.record(body.label());
			startAsync(arguments, request, response);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased/{kind}")
		Object leased(@PathVariable String kind, @RequestBody Labelled body, HttpServletRequest request,
				HttpServletResponse response) {
			this.effects.record(body.label());
			if (kind.equals("none") || kind.equals("both")) {
				startAsync(kind, request, response);
				return ResponseEntity.accepted().build();
			}
			return answer(kind);
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/leased-transactional/{kind}")
		public Object leasedInTransaction(@PathVariable String kind, @RequestBody Labelled body) {
			this.effects.record(body.label());
			return answer(kind);
		}

		@Idempotent
		@PostMapping("/phased/{kind}")
		Object phased(@PathVariable String kind, @RequestBody Labelled body, Phases phases) {
			phases.finish(() -> this.effects.record(body.label()).getLabel());
			return answer(kind);
		}

		@Idempotent
		@PostMapping("/protected")
		Map<String, String> protectedValue(@RequestBody Labelled body) {
			return Map.of("label", this.effects.record(body.label()).getLabel());
		}

		@PostMapping("/plain")
		Map<String, String> plain(@RequestBody Labelled body) {
			return Map.of("label", this.effects.record(body.label()).getLabel());
		}

		private static void startAsync(String arguments, HttpServletRequest request, HttpServletResponse response) {
			AsyncContext context = arguments.equals("none") ? request.startAsync()
					: request.startAsync(request, response);
			Parallel.start(() -> {
				HttpServletResponse late = (HttpServletResponse) context.getResponse();
				late.setStatus(202);
				late.getWriter().print("late");
				context.complete();
				return null;
			});
		}

	}

	abstract static class Base<T> {

		abstract T create(String kind, String label);

		@Idempotent
		@PostMapping("/generic/{kind}")
		T generic(@PathVariable String kind, @RequestBody Labelled body) {
			return create(kind, body.label());
		}

	}

	@RestController
	static class Generic extends Base<Object> {

		private final Effects effects;

		Generic(Effects effects) {
			this.effects = effects;
		}

		@Override
		Object create(String kind, String label) {
			this.effects.record(label);
			return answer(kind);
		}

	}

	/**
	 * Many applications have one; a refusal must not become its answer, which would be
	 * stored.
	 */
	@ControllerAdvice
	static class CatchAll {

		@ExceptionHandler
		void unexpected(Exception failure, HttpServletResponse response) throws IOException {
			response.setStatus(400);
			response.getWriter().print(failure.getClass().getName());
		}

	}

}
