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

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolverComposite;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

import dev.idempotency.exception.IdempotencyException;

/**
 * The application's exception handlers that name exceptions of the library. Handlers of
 * the controller come first, then handlers of advices in their order. A handler of all
 * exceptions is not called, even if its advice comes first: it was not written for
 * refusals, and would turn a refusal that a client has to understand into a failure.
 */
final class NamedExceptionHandlers extends ExceptionHandlerExceptionResolver {

	private final Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advices;

	private final Map<Class<?>, ExceptionHandlerMethodResolver> controllers = new ConcurrentHashMap<>();

	private NamedExceptionHandlers(ExceptionHandlerExceptionResolver application) {
		this.advices = application.getExceptionHandlerAdviceCache();
		setApplicationContext(application.getApplicationContext());
		HandlerMethodArgumentResolverComposite arguments = application.getArgumentResolvers();
		if (arguments != null) {
			setArgumentResolvers(arguments.getResolvers());
		}
		HandlerMethodReturnValueHandlerComposite results = application.getReturnValueHandlers();
		if (results != null) {
			setReturnValueHandlers(results.getHandlers());
		}
		setContentNegotiationManager(application.getContentNegotiationManager());
	}

	/**
	 * Finds the handlers.
	 * @param resolvers the application's exception resolvers
	 * @return its exception handlers, {@code null} if it has none
	 */
	static @Nullable NamedExceptionHandlers find(Stream<HandlerExceptionResolver> resolvers) {
		return resolvers.flatMap(NamedExceptionHandlers::flatten)
			.filter(ExceptionHandlerExceptionResolver.class::isInstance)
			.map(ExceptionHandlerExceptionResolver.class::cast)
			.map(NamedExceptionHandlers::new)
			.findFirst()
			.orElse(null);
	}

	private static Stream<HandlerExceptionResolver> flatten(HandlerExceptionResolver resolver) {
		return (resolver instanceof HandlerExceptionResolverComposite composite)
				? composite.getExceptionResolvers().stream() : Stream.of(resolver);
	}

	@Override
	protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(@Nullable HandlerMethod handler,
			Exception exception, ServletWebRequest request) {
		Class<?> type = (handler != null) ? type(handler) : null;
		if (handler != null && type != null) {
			ExceptionHandlerMappingInfo own = find(
					this.controllers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new), exception, request);
			if (own != null) {
				return new ServletInvocableHandlerMethod(handler.getBean(), own.getHandlerMethod(),
						getApplicationContext());
			}
		}
		for (Map.Entry<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice : this.advices.entrySet()) {
			if (advice.getKey().isApplicableToBeanType(type)) {
				ExceptionHandlerMappingInfo found = find(advice.getValue(), exception, request);
				if (found != null) {
					return new ServletInvocableHandlerMethod(advice.getKey().resolveBean(), found.getHandlerMethod(),
							getApplicationContext());
				}
			}
		}
		return null;
	}

	private static Class<?> type(HandlerMethod handler) {
		Class<?> type = handler.getBeanType();
		return Proxy.isProxyClass(type) ? AopUtils.getTargetClass(handler.getBean()) : type;
	}

	private @Nullable ExceptionHandlerMappingInfo find(ExceptionHandlerMethodResolver handlers, Exception exception,
			ServletWebRequest request) {
		for (MediaType accepted : accepted(request)) {
			ExceptionHandlerMappingInfo found = handlers.resolveExceptionMapping(exception, accepted);
			if (found != null && isNamed(found.getExceptionTypes(), exception)) {
				if (!found.getProducibleTypes().isEmpty()) {
					request.setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, found.getProducibleTypes(),
							RequestAttributes.SCOPE_REQUEST);
				}
				return found;
			}
		}
		return null;
	}

	private List<MediaType> accepted(ServletWebRequest request) {
		try {
			return getContentNegotiationManager().resolveMediaTypes(request);
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			return List.of(MediaType.ALL);
		}
	}

	private static boolean isNamed(Set<Class<? extends Throwable>> types, Exception exception) {
		return types.stream()
			.anyMatch((type) -> IdempotencyException.class.isAssignableFrom(type) && type.isInstance(exception));
	}

}
