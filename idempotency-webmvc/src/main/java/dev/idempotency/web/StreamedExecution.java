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
package dev.idempotency.web;

import java.util.List;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import dev.idempotency.engine.codec.Answer;
import dev.idempotency.engine.transaction.ThreadGuard;

/**
 * One execution whose response goes to the client while it is made. At its end the fact
 * that it was executed is stored, and not the stream.
 */
final class StreamedExecution {

	private final IdempotentExchange exchange;

	private final AsyncSupport request;

	private final HttpServletResponse response;

	private final HandlerThread thread;

	StreamedExecution(IdempotentExchange exchange, AsyncSupport request, HttpServletResponse response,
			HandlerThread thread) {
		this.exchange = exchange;
		this.request = request;
		this.response = response;
		this.thread = thread;
	}

	void handle(RequestMappingHandlerAdapter handlers, Object handler, ThreadGuard guard) throws Exception {
		try (ThreadBinding bound = ThreadBinding.bind(this.request, this.response)) {
			this.request.followThreads(guard);
			handlers.handle(this.request, this.response, handler);
			if (this.request.isAsyncHandlingStarted()) {
				this.thread.suspend(List.of());
			}
			else {
				this.exchange.requireNotRefused();
				this.request.requireNotStarted();
				this.thread.requireNothingLeftOpen();
				this.exchange.finish(new Answer(this.response.getStatus(), List.of(), null));
			}
		}
		catch (Exception | Error ex) {
			this.thread.fail(ex);
			throw ex;
		}
	}

}
