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

import java.lang.annotation.Annotation;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Passes the annotations of a test to its clients.
 */
final class RequestSettingsExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(RequestSettingsExtension.class);

	@Override
	public void beforeEach(ExtensionContext context) {
		RequestSettings settings = RequestSettings.of(find(context, WithIdempotencyKey.class),
				find(context, DeliverTwice.class));
		context.getStore(NAMESPACE).put(RequestSettings.class, settings);
		requests(context).ifAvailable((requests) -> requests.begin(settings));
	}

	@Override
	public void afterEach(ExtensionContext context) {
		requests(context).ifAvailable(TestRequests::end);
	}

	private static ObjectProvider<TestRequests> requests(ExtensionContext context) {
		return SpringExtension.getApplicationContext(context).getBeanProvider(TestRequests.class);
	}

	private static <A extends Annotation> @Nullable A find(ExtensionContext context, Class<A> type) {
		Optional<A> onMethod = AnnotationSupport.findAnnotation(context.getTestMethod(), type);
		return onMethod
			.or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), type,
					context.getEnclosingTestClasses()))
			.orElse(null);
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == IdempotencyKey.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		RequestSettings settings = context.getStore(NAMESPACE).get(RequestSettings.class, RequestSettings.class);
		if (settings == null || settings.key() == null) {
			throw new ParameterResolutionException("This test has no idempotency key: annotate the method "
					+ "or its class with @WithIdempotencyKey, and not with per = REQUEST");
		}
		return new IdempotencyKey(settings.key());
	}

}
