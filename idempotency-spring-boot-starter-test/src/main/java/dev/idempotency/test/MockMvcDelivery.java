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

import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.test.web.servlet.setup.ConfigurableMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcConfigurer;
import org.springframework.validation.Errors;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.ModelAndView;

import dev.idempotency.web.key.KeyReader;

/**
 * Applies {@link WithIdempotencyKey} and {@link DeliverTwice} to the requests of
 * {@link MockMvc}, on which {@code MockMvcTester} is based. The first filter copies each
 * request before it is processed, and the copy is sent after the response.
 *
 * @param requests the requests of the running test
 * @param mockMvc supplies the client, for second deliveries
 */
record MockMvcDelivery(TestRequests requests, Supplier<MockMvc> mockMvc) implements MockMvcConfigurer {

	private static final String COPY = MockMvcDelivery.class.getName() + ".COPY";

	void customize(ConfigurableMockMvcBuilder<?> builder) {
		Filter copies = (request, response, chain) -> {
			keepCopy(request);
			chain.doFilter(request, response);
		};
		builder.addFilters(copies).apply(this).alwaysDo(this::deliverAgain);
	}

	@Override
	public RequestPostProcessor beforeMockMvcCreated(ConfigurableMockMvcBuilder<?> builder,
			WebApplicationContext context) {
		return (request) -> {
			String header = this.requests.field().header();
			if (!hasKey(request)) {
				this.requests.headerFor(request.getMethod()).ifPresent((value) -> request.addHeader(header, value));
			}
			return request;
		};
	}

	private boolean hasKey(MockHttpServletRequest request) {
		return request.getHeader(this.requests.field().header()) != null
				|| request.getParameter(KeyReader.FORM_FIELD) != null;
	}

	private void keepCopy(ServletRequest request) {
		if (request instanceof MockHttpServletRequest mock && mock.getDispatcherType() == DispatcherType.REQUEST
				&& this.requests.isTwice() && hasKey(mock)) {
			mock.setAttribute(COPY, RequestCopy.of(mock));
		}
	}

	/**
	 * Delivers again, after a request was performed and after its asynchronous dispatch.
	 */
	private void deliverAgain(MvcResult result) throws Exception {
		MockHttpServletRequest request = result.getRequest();
		MockHttpServletRequest copy = (MockHttpServletRequest) request.getAttribute(COPY);
		if (copy == null || request.isAsyncStarted() || !this.requests.isTwice()) {
			return;
		}
		request.removeAttribute(COPY);
		if (showsErrors(result)) {
			return;
		}
		this.requests.repeat(request.getMethod() + " " + request.getRequestURI(),
				DeliveredResponse.of(result.getResponse()), () -> DeliveredResponse.of(perform(copy).getResponse()));
	}

	/**
	 * Returns whether the response is a form with its errors, which is not final and not
	 * replayed.
	 */
	private static boolean showsErrors(MvcResult result) {
		ModelAndView view = result.getModelAndView();
		Stream<Object> model = (view != null) ? view.getModel().values().stream() : Stream.empty();
		return Stream.concat(model, result.getFlashMap().values().stream())
			.anyMatch((value) -> value instanceof Errors errors && errors.hasErrors());
	}

	private MvcResult perform(MockHttpServletRequest request) throws Exception {
		MvcResult result = this.mockMvc.get().perform((context) -> request).andReturn();
		return request.isAsyncStarted()
				? this.mockMvc.get().perform(MockMvcRequestBuilders.asyncDispatch(result)).andReturn() : result;
	}

}
