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
 * The path of a request through Spring MVC, in this order:
 * <ol>
 * <li>{@code IdempotencyInterceptor}: checks its key, and begins the {@code Exchange}
 * that all later steps notify.</li>
 * <li>{@code IdempotencyHandlerAdapter}: gives the handler its {@code HandlerRequest},
 * and captures its response unless it is a stream.</li>
 * <li>{@code ClaimAdvice}, within the controller's proxy: claims the request, or ends the
 * invocation with a replay.</li>
 * <li>The handler.</li>
 * <li>{@code IdempotencyHandlerAdapter.ViewInterceptor}, if the handler names a
 * view.</li>
 * <li>{@code IdempotencyHandlerAdapter}: stores the response and commits, before the
 * first byte is sent.</li>
 * </ol>
 * Responses to exceptions, and responses of the error page, are captured by
 * {@code IdempotencyExceptionResolver}.
 * <p>
 * Internal: may change at any time.
 */
@NullMarked
package dev.idempotency.web;

import org.jspecify.annotations.NullMarked;
