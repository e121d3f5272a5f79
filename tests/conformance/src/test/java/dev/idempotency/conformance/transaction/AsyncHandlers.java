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

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpStatus;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Replay;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Parallel;

/**
 * Handlers that answer later, in each form that Spring MVC has for it.
 */
@RestController
class AsyncHandlers {

	static final Gates GATES = new Gates();

	private final Effects effects;

	AsyncHandlers(Effects effects) {
		this.effects = effects;
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/slow-task")
	WebAsyncTask<String> slowTask(@RequestBody Labelled body) {
		return new WebAsyncTask<>(300L, () -> {
			// Does not give up when it is interrupted.
			Parallel.start(() -> {
				GATES.pass(body.label());
				return null;
			}).join();
			this.effects.record(body.label());
			return "late";
		});
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/slow-deferred")
	DeferredResult<String> slowDeferred() {
		return new DeferredResult<>(300L);
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/failing-callable")
	Callable<String> failingCallable(@RequestParam int status, HttpServletResponse response) {
		response.setHeader("Retry-After", "7");
		return () -> {
			throw new ResponseStatusException(HttpStatus.valueOf(status));
		};
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/failing-future")
	CompletableFuture<String> failingFuture(@RequestParam int status) {
		return CompletableFuture.supplyAsync(() -> {
			throw new ResponseStatusException(HttpStatus.valueOf(status));
		});
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/failing-deferred")
	DeferredResult<String> failingDeferred(@RequestParam int status) {
		DeferredResult<String> result = new DeferredResult<>();
		Parallel.start(() -> result.setErrorResult(new ResponseStatusException(HttpStatus.valueOf(status))));
		return result;
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/headers")
	Callable<String> headers(HttpServletResponse response) {
		response.addHeader("X-Before", "1");
		response.addHeader("X-Before", "2");
		response.addCookie(new Cookie("theme", "dark"));
		response.addHeader("Set-Cookie", "theme=light");
		return () -> "done";
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping("/who")
	Callable<String> who() {
		return () -> {
			var authentication = SecurityContextHolder.getContext().getAuthentication();
			return (authentication != null) ? authentication.getName() : "nobody";
		};
	}

	@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
	@PostMapping("/events")
	SseEmitter events(@RequestBody Labelled body) throws IOException {
		this.effects.record(body.label());
		SseEmitter emitter = new SseEmitter();
		emitter.send("first");
		Parallel.start(() -> {
			GATES.pass(body.label());
			emitter.send("last");
			emitter.complete();
			return null;
		});
		return emitter;
	}

	@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
	@PostMapping("/stream")
	StreamingResponseBody stream(@RequestBody Labelled body) {
		return (out) -> {
			this.effects.record(body.label());
			// Spring ignores a flush here, so fill the buffer.
			out.write(("first\n" + "\n".repeat(100_000)).getBytes());
			GATES.pass(body.label());
			out.write("last\n".getBytes());
		};
	}

	@Idempotent(mode = Mode.LEASED, replay = Replay.NONE)
	@PostMapping("/broken-stream")
	StreamingResponseBody brokenStream(@RequestBody Labelled body) {
		return (out) -> {
			this.effects.record(body.label());
			out.write(new byte[100_000]);
			throw new IllegalStateException("in the middle");
		};
	}

	@PostMapping("/plain-callable")
	Callable<Map<String, String>> plainCallable(@RequestBody Labelled body) {
		return () -> plain(body);
	}

	@PostMapping("/plain-future")
	CompletableFuture<Map<String, String>> plainFuture(@RequestBody Labelled body) {
		return CompletableFuture.supplyAsync(() -> plain(body));
	}

	@PostMapping("/plain-stream")
	StreamingResponseBody plainStream(@RequestBody Labelled body) {
		return (out) -> out.write(plain(body).toString().getBytes());
	}

	@PostMapping("/plain-events")
	SseEmitter plainEvents(@RequestBody Labelled body) throws IOException {
		SseEmitter emitter = new SseEmitter();
		emitter.send(plain(body).toString());
		emitter.complete();
		return emitter;
	}

	private Map<String, String> plain(Labelled body) {
		return Map.of("plain", this.effects.record(body.label()).getLabel());
	}

}
