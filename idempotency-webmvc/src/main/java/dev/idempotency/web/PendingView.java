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

import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.ModelAndView;

/**
 * The rest of a protected execution whose handler has named a view, which the
 * interceptors may still change. Bound to the request until it is rendered or abandoned.
 */
interface PendingView {

	/**
	 * Render the view, store the result, and send it.
	 * @return {@code false} if something else was sent in its place
	 */
	boolean render(ModelAndView view) throws Exception;

	/**
	 * Fails the execution, since the view will not be rendered.
	 */
	void abandon(Throwable failure);

	/**
	 * Leaves the rendering to the interceptors of the request.
	 */
	default void bindTo(ServletRequest request) {
		request.setAttribute(PendingView.class.getName(), this);
	}

	/**
	 * Takes over the rendering.
	 * @return the pending view, {@code null} if none is left to render
	 */
	static @Nullable PendingView takeFrom(ServletRequest request) {
		PendingView pending = (PendingView) request.getAttribute(PendingView.class.getName());
		if (pending != null) {
			request.removeAttribute(PendingView.class.getName());
		}
		return pending;
	}

	/**
	 * Abandon the view of a request, if one is pending.
	 * @return whether there was one
	 */
	static boolean abandonIn(ServletRequest request, Throwable failure) {
		PendingView pending = takeFrom(request);
		if (pending == null) {
			return false;
		}
		pending.abandon(failure);
		return true;
	}

}
