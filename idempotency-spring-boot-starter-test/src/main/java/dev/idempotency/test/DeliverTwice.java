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
package dev.idempotency.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Delivers each request with an idempotency key twice, like a client that has lost the
 * first response, and fails the test unless
 * <ul>
 * <li>the second response has the status, the body and the headers of the first; a
 * refusal (4xx) before the handler runs is not stored, and only has the same status,</li>
 * <li>the second response is a replay if the first is a success or a redirect,</li>
 * <li>each {@link EffectProbe} of the application context has the same count before and
 * after the second delivery.</li>
 * </ul>
 * The test continues with the first response, so existing tests need no change. A request
 * with a response that is not final (5xx, 408, 412, 425, 429, 409 {@code in-progress},
 * ...) is not delivered again: its retry runs again by design. Neither is a request
 * without a key; {@link WithIdempotencyKey} adds keys to all requests that need one.
 * <p>
 * Probes count the effects of all requests, so this annotation does not suit a test that
 * sends different requests at the same time.
 * <p>
 * It works for {@code MockMvc}, {@code MockMvcTester} and {@code RestTestClient} as
 * configured by Spring Boot, and for any client with the bean
 * {@link IdempotencyRequestInterceptor}. Headers that differ for each exchange, such as
 * {@code Date} and {@code Set-Cookie}, are not compared.
 */
@Documented
@Inherited
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequestSettingsExtension.class)
public @interface DeliverTwice {

	/**
	 * Names of additional headers that are not compared, such as those that a filter of
	 * the application creates for each exchange. Their case does not matter.
	 * @return the names
	 */
	String[] ignoredHeaders() default {};

}
