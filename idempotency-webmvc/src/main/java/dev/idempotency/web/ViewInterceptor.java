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

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import dev.idempotency.web.IdempotencyHandlerAdapter.CapturedRun;

/**
 * An interceptor that renders the view of a protected handler, after the application's
 * interceptors have processed it and before the transaction ends. It is the first of the
 * interceptors, since they are called back in reverse order.
 */
final class ViewInterceptor implements HandlerInterceptor {

	@Override
	public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable ModelAndView view) throws Exception {
		Exchange exchange = (view != null) ? Exchange.boundTo(request) : null;
		CapturedRun pending = (exchange != null) ? exchange.takeWithoutView() : null;
		if (pending != null && view != null) {
			if (pending.render(view) && view instanceof ProtectedModelAndView written) {
				written.markWritten(response.getStatus());
			}
			else {
				view.clear();
			}
		}
	}

	/**
	 * Fails the execution if an interceptor has failed before the view was rendered.
	 */
	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception ex) {
		Exchange exchange = Exchange.boundTo(request);
		CapturedRun pending = (exchange != null) ? exchange.takeWithoutView() : null;
		if (exchange != null && pending != null) {
			pending.abandon((ex != null) ? ex : new IllegalStateException("An interceptor prevented the view"));
			exchange.endUnstored((ex != null) ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR : response.getStatus());
		}
	}

	/**
	 * The model and view of a protected handler. The view is rendered within the
	 * transaction; the dispatcher servlet, which comes after it, renders one that writes
	 * nothing. Observers of the dispatcher servlet, such as MockMvc, see the model and
	 * the name of the view like those of any other handler.
	 */
	static final class ProtectedModelAndView extends ModelAndView {

		private @Nullable View written;

		ProtectedModelAndView(ModelAndView original) {
			View view = original.getView();
			if (view != null) {
				setView(view);
			}
			else {
				setViewName(original.getViewName());
			}
			addAllObjects(original.getModel());
			setStatus(original.getStatus());
		}

		/**
		 * Replaces the view, which was rendered and sent, until the dispatcher servlet
		 * has rendered the replacement.
		 * @param status the status that was sent, which the dispatcher servlet sets again
		 */
		void markWritten(int status) {
			this.written = (model, request, response) -> {
				this.written = null;
				response.setStatus(status);
			};
		}

		@Override
		public @Nullable View getView() {
			return (this.written != null) ? this.written : super.getView();
		}

		@Override
		public @Nullable String getViewName() {
			return (this.written != null) ? null : super.getViewName();
		}

	}

}
