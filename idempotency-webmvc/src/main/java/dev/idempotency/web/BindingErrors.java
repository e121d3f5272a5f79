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
import org.jspecify.annotations.Nullable;

import org.springframework.validation.Errors;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Finds the errors of a form that is shown again. Such an answer is no outcome of the
 * operation: it asks for a corrected form, which comes under the same key.
 */
final class BindingErrors {

	private BindingErrors() {
	}

	/**
	 * Returns whether a form was refused.
	 * @param model the model of the view, {@code null} for no view
	 * @param request the request, whose flash attributes are the model of the next one
	 */
	public static boolean exist(@Nullable Map<String, ?> model, HttpServletRequest request) {
		FlashMap flash = RequestContextUtils.getOutputFlashMap(request);
		return (model != null && contains(model)) || (flash != null && contains(flash));
	}

	private static boolean contains(Map<String, ?> model) {
		return model.values().stream().anyMatch((value) -> value instanceof Errors errors && errors.hasErrors());
	}

}
