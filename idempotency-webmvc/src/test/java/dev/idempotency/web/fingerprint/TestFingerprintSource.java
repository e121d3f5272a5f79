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

package dev.idempotency.web.fingerprint;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A request as tests need it, changed one property at a time.
 */
record TestFingerprintSource(String method, String path, @Nullable String query, @Nullable String contentType,
		Map<String, List<String>> headers, Map<String, List<String>> parameters,
		Body body) implements FingerprintSource {

	static TestFingerprintSource json(String body) {
		return json(body.getBytes(StandardCharsets.UTF_8));
	}

	static TestFingerprintSource json(byte[] body) {
		return post("application/json", new Bytes(body));
	}

	static TestFingerprintSource post(@Nullable String contentType, Body body) {
		return new TestFingerprintSource("POST", "/payments", null, contentType, Map.of(), Map.of(), body);
	}

	TestFingerprintSource withMethod(String method) {
		return new TestFingerprintSource(method, this.path, this.query, this.contentType, this.headers, this.parameters,
				this.body);
	}

	TestFingerprintSource withPath(String path) {
		return new TestFingerprintSource(this.method, path, this.query, this.contentType, this.headers, this.parameters,
				this.body);
	}

	TestFingerprintSource withQuery(@Nullable String query) {
		return new TestFingerprintSource(this.method, this.path, query, this.contentType, this.headers, this.parameters,
				this.body);
	}

	TestFingerprintSource withContentType(@Nullable String contentType) {
		return new TestFingerprintSource(this.method, this.path, this.query, contentType, this.headers, this.parameters,
				this.body);
	}

	TestFingerprintSource withHeader(String name, String... values) {
		return new TestFingerprintSource(this.method, this.path, this.query, this.contentType,
				Map.of(name, List.of(values)), this.parameters, this.body);
	}

	TestFingerprintSource withParameters(Map<String, List<String>> parameters) {
		return new TestFingerprintSource(this.method, this.path, this.query, this.contentType, this.headers, parameters,
				this.body);
	}

	@Override
	public List<String> headers(String name) {
		return this.headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
	}

}
