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
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
import dev.idempotency.conformance.app.Parallel;
import dev.idempotency.phase.Phases;

/**
 * Handlers whose declared type does not say whether they answer later.
 */
@RestController
class UndeclaredAsyncHandlers {

	private final Effects effects;

	UndeclaredAsyncHandlers(Effects effects) {
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
			case "future-of-stream" -> CompletableFuture.completedFuture(answer("stream"));
			case "stream" -> (StreamingResponseBody) (out) -> out.write("answer".getBytes());
			default -> value;
		};
	}

	private static void startAsync(String arguments, HttpServletRequest request, HttpServletResponse response) {
		AsyncContext context = arguments.equals("none") ? request.startAsync() : request.startAsync(request, response);
		Parallel.start(() -> {
			HttpServletResponse late = (HttpServletResponse) context.getResponse();
			late.setStatus(202);
			late.getWriter().print("late");
			context.complete();
			return null;
		});
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
