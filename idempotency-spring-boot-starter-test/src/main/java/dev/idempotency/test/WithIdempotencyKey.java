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
 * Adds an idempotency key to the requests of a test that have none, in the header of
 * {@code idempotency.header}. A parameter of type {@link IdempotencyKey} of the test
 * method has the same key, for calls of {@link dev.idempotency.IdempotencyOperations}:
 *
 * <pre>
 * &#064;Test
 * &#064;WithIdempotencyKey
 * void anInvoiceIsPaidOnce(IdempotencyKey key) {
 *     operations.execute(IdempotencyRequest.of("invoice.pay", key.value()), Receipt.class, this::pay);
 * }
 * </pre>
 *
 * It works for {@code MockMvc}, {@code MockMvcTester} and {@code RestTestClient} as
 * configured by Spring Boot, and for any client with the bean
 * {@link IdempotencyRequestInterceptor}; on the thread of the test and on threads that it
 * starts. The annotation of a method takes precedence over the annotation of its class.
 */
@Documented
@Inherited
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequestSettingsExtension.class)
public @interface WithIdempotencyKey {

	/**
	 * The key.
	 * @return the key, empty for one that is generated
	 */
	String value() default "";

	/**
	 * The sharing of a generated key: one for the test, or one for each request.
	 * @return the scope of a generated key
	 */
	Per per() default Per.TEST;

	/**
	 * The HTTP methods of requests that get a key.
	 * @return the names of their methods
	 */
	String[] methods() default { "POST", "PATCH" };

	/**
	 * The scope of a generated key.
	 */
	enum Per {

		/**
		 * One key for all requests of a test method: the second is a retry of the first.
		 */
		TEST,

		/**
		 * Each request has a separate key.
		 */
		REQUEST

	}

}
