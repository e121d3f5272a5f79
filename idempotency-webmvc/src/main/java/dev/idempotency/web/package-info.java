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
/**
 * The HTTP side: key, fingerprint, capture, replay, problem details. A request passes, in
 * order, {@link dev.idempotency.web.IdempotencyInterceptor} (checks its key),
 * {@link dev.idempotency.web.IdempotencyHandlerAdapter} (buffers the body, captures the
 * response, commits before the first byte) and, within the controller's proxy,
 * {@link dev.idempotency.web.ExchangeInvoker} (claims). A view is rendered by
 * {@link dev.idempotency.web.view.ViewInterceptor}. Responses to exceptions are captured
 * by {@link dev.idempotency.web.problem.IdempotencyExceptionResolver} and, when they are
 * made by the error page, by {@link dev.idempotency.web.IdempotencyFilter}.
 * <p>
 * SPI for own fingerprints: {@link dev.idempotency.web.FingerprintStrategy},
 * {@link dev.idempotency.web.FingerprintSource}. Everything else is internal and may
 * change at any time.
 */
@NullMarked
package dev.idempotency.web;

import org.jspecify.annotations.NullMarked;
