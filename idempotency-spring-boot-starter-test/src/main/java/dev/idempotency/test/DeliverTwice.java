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
 * Delivers every request of a test that has an idempotency key twice, as a client does
 * that has lost the first answer, and fails the test unless
 * <ul>
 * <li>the second answer has the status, the body and the headers of the first; a refusal
 * (4xx) that came before the handler ran, and so was not stored, has the status
 * alone,</li>
 * <li>a success or a redirect came the second time as a replay,</li>
 * <li>no {@link EffectProbe} of the application context counts more after the second
 * delivery than before it.</li>
 * </ul>
 * The test itself goes on with the first answer, so that tests that exist need no change.
 * Answers that are not final (5xx, 408, 425, 429, 409 {@code in-progress}) are not
 * delivered again: after these a request runs again, which is right. Nor are requests
 * without a key; together with {@link WithIdempotencyKey} all requests that ought to have
 * a key have one.
 * <p>
 * Probes count what all requests bring about: a test that sends different requests at the
 * same time is not for this annotation.
 * <p>
 * It works for {@code MockMvc}, {@code MockMvcTester} and {@code RestTestClient} as
 * Spring Boot configures them, and for any client that was given the bean
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
	 * Names of more headers that are not compared, in any case: those that a filter of
	 * the application makes anew for each exchange.
	 * @return the names
	 */
	String[] ignoredHeaders() default {};

}
