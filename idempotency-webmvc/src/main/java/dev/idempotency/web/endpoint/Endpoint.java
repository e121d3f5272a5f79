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
package dev.idempotency.web.endpoint;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.aop.KeyExpression;
import dev.idempotency.engine.ClaimRequest.EffectCommits;

/**
 * An annotated controller method.
 *
 * @param mapping the mapping of requests
 * @param handler the method
 * @param handlerName the name of the method in messages
 * @param operation its resolved annotation
 * @param keyExpression the place of its key, {@code null} for the request header
 * @param commits the way in which the effects of the handler become durable
 * @param repeatable whether the request is stored for the completer
 * @param streaming whether its response goes to the client while it is written
 */
public record Endpoint(RequestMappingInfo mapping, Method handler, String handlerName, IdempotentOperation operation,
		@Nullable KeyExpression keyExpression, EffectCommits commits, boolean repeatable, boolean streaming) {
}
