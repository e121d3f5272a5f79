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
package dev.idempotency.web.key;

import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import dev.idempotency.exception.MalformedKeyException;
import dev.idempotency.exception.MissingKeyException;
import dev.idempotency.web.policy.WebSettings;

/**
 * Reads the key of a request.
 */
public final class KeyReader {

	private final KeyResolver resolver;

	private final KeyParser parser;

	private KeyReader(KeyResolver resolver, KeyParser parser) {
		this.resolver = resolver;
		this.parser = parser;
	}

	/**
	 * Creates a reader.
	 * @param settings the place and the syntax of keys
	 * @param own the application's place of the key, {@code null} for that of the
	 * settings
	 */
	public static KeyReader of(WebSettings settings, @Nullable KeyResolver own) {
		KeyResolver resolver = (own != null) ? own : new DefaultKeyResolver(settings.header(), settings.formField());
		return new KeyReader(resolver, new KeyParser(settings.header(), settings.syntax(), settings.minKeyLength(),
				settings.maxKeyLength(), settings.keyPattern()));
	}

	/**
	 * Reads the key.
	 * @return the key's value, {@code null} if the request carries none
	 * @throws MalformedKeyException if its key is malformed
	 */
	public @Nullable String read(HttpServletRequest request) {
		List<String> values = this.resolver.resolve(request);
		return values.isEmpty() ? null : this.parser.parse(values, "The " + place(request));
	}

	/**
	 * Returns whether the key of a request is in a field of a form.
	 */
	public boolean isField(HttpServletRequest request) {
		return this.resolver instanceof DefaultKeyResolver standard && standard.isField(request);
	}

	public MissingKeyException missing(HttpServletRequest request) {
		return new MissingKeyException(this.resolver instanceof DefaultKeyResolver
				? "The request carries no idempotency key: send one in the " + place(request) + "."
				: "The request carries no idempotency key.");
	}

	private String place(HttpServletRequest request) {
		return (this.resolver instanceof DefaultKeyResolver standard) ? standard.place(request) : "idempotency key";
	}

	/**
	 * Checks a key that does not come from a header.
	 */
	public String validate(String key) {
		return this.parser.validate(key);
	}

}
