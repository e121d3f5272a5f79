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
package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.springframework.core.codec.DecodingException;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.idempotency.phase.TransientFailurePolicy;

/**
 * The default of {@link TransientFailurePolicy}.
 */
final class DefaultTransientFailurePolicy implements TransientFailurePolicy {

	private static final boolean SPRING_WEB = ClassUtils.isPresent(
			"org.springframework.web.client.RestClientResponseException",
			DefaultTransientFailurePolicy.class.getClassLoader());

	private static final boolean SPRING_WEBFLUX = ClassUtils.isPresent(
			"org.springframework.web.reactive.function.client.WebClientResponseException",
			DefaultTransientFailurePolicy.class.getClassLoader());

	private static final Set<Integer> STATUSES = Set.of(408, 409, 425, 429);

	@Override
	public boolean isTransient(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.anyMatch((each) -> each instanceof IOException || each instanceof TimeoutException
					|| (SPRING_WEB && Responses.isTransient(each))
					|| (SPRING_WEBFLUX && ReactiveResponses.isTransient(each)));
	}

	private static boolean isTransient(int status) {
		return (status >= 500 && status < 600) || STATUSES.contains(status);
	}

	/**
	 * RestClient and RestTemplate, where they are on the class path.
	 */
	private static final class Responses {

		static boolean isTransient(Throwable failure) {
			return (failure instanceof RestClientResponseException response)
					? DefaultTransientFailurePolicy.isTransient(response.getStatusCode().value())
					: failure instanceof RestClientException;
		}

	}

	/**
	 * WebClient, where it is on the class path.
	 */
	private static final class ReactiveResponses {

		static boolean isTransient(Throwable failure) {
			return (failure instanceof WebClientResponseException response)
					? DefaultTransientFailurePolicy.isTransient(response.getStatusCode().value())
					: failure instanceof WebClientException || failure instanceof DecodingException;
		}

	}

}
