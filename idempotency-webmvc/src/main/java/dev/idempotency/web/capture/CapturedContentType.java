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
package dev.idempotency.web.capture;

import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;

/**
 * The type of a body. The charset is kept separately from the type, since it may be set
 * separately, and not after a writer was created for it.
 */
final class CapturedContentType {

	private @Nullable String type;

	private @Nullable String charset;

	private boolean charsetFixed;

	void set(@Nullable String value) {
		String named = (value != null) ? charsetOf(value) : null;
		if (value == null || named == null) {
			this.type = value;
			return;
		}
		this.type = withoutCharset(value);
		setCharset(named);
	}

	void setCharset(@Nullable String charset) {
		if (!this.charsetFixed) {
			this.charset = charset;
		}
	}

	/**
	 * Fixes the charset as the container does: the content type names the encoding of the
	 * writer.
	 */
	void fixCharset(String charset) {
		setCharset(charset);
		this.charsetFixed = true;
	}

	boolean isCharsetFixed() {
		return this.charsetFixed;
	}

	@Nullable String charset() {
		return this.charset;
	}

	/**
	 * Type and charset as the header has them.
	 * @return {@code null} if no type was set
	 */
	@Nullable String header() {
		return (this.type != null && this.charset != null) ? this.type + ";charset=" + this.charset : this.type;
	}

	void clear() {
		this.type = null;
		this.charset = null;
		this.charsetFixed = false;
	}

	private static @Nullable String charsetOf(String type) {
		if (!type.toLowerCase(Locale.ROOT).contains("charset=")) {
			return null;
		}
		try {
			Charset charset = MediaType.parseMediaType(type).getCharset();
			return (charset != null) ? charset.name() : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static String withoutCharset(String type) {
		MediaType parsed = MediaType.parseMediaType(type);
		Map<String, String> parameters = new LinkedHashMap<>(parsed.getParameters());
		parameters.keySet().removeIf("charset"::equalsIgnoreCase);
		return new MediaType(parsed, parameters).toString();
	}

}
