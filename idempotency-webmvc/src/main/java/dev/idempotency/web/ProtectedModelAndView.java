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

import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/**
 * The model and view of a protected handler. The view is rendered within the transaction;
 * the dispatcher servlet, which comes after it, renders one that writes nothing.
 * Observers of the dispatcher servlet, such as MockMvc, see the model and the name of the
 * view like those of any other handler.
 */
final class ProtectedModelAndView extends ModelAndView {

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
		HttpStatusCode status = original.getStatus();
		if (status != null) {
			setStatus(status);
		}
	}

	/**
	 * The view was rendered and sent.
	 * @param status the status that was sent, which the dispatcher servlet sets again
	 */
	void markWritten(int status) {
		this.written = new WrittenView(status);
	}

	@Override
	public @Nullable View getView() {
		return (this.written != null) ? this.written : super.getView();
	}

	@Override
	public @Nullable String getViewName() {
		return (this.written != null) ? null : super.getViewName();
	}

	/**
	 * Takes the place of the view until the dispatcher servlet has rendered it.
	 */
	private final class WrittenView implements View {

		private final int status;

		WrittenView(int status) {
			this.status = status;
		}

		@Override
		public void render(@Nullable Map<String, ?> model, HttpServletRequest request, HttpServletResponse response) {
			ProtectedModelAndView.this.written = null;
			response.setStatus(this.status);
		}

	}

}
