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

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The type of a body. The charset is kept separately from the type, since it may be set
 * separately, and not after a writer was created for it. Both keep their spelling, since
 * the container normalizes them.
 */
final class CapturedContentType {

	private static final Pattern CHARSET = Pattern.compile(";\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|([^;\\s]*))\\s*",
			Pattern.CASE_INSENSITIVE);

	/**
	 * The type with its charset, as it was set.
	 */
	private @Nullable String whole;

	private @Nullable String wholeCharset;

	private @Nullable String type;

	private @Nullable String charset;

	/**
	 * The charset of a locale, which applies unless another is set.
	 */
	private @Nullable String localeCharset;

	/**
	 * The charset of the writer, which a container adds to the header.
	 */
	private @Nullable String fixedCharset;

	void set(@Nullable String value) {
		Matcher parameter = CHARSET.matcher((value != null) ? value : "");
		this.whole = value;
		this.type = value;
		this.wholeCharset = null;
		if (parameter.find()) {
			this.type = parameter.replaceFirst("");
			this.wholeCharset = (parameter.group(1) != null) ? parameter.group(1) : parameter.group(2);
			setCharset(this.wholeCharset);
		}
	}

	void setCharset(@Nullable String charset) {
		if (this.fixedCharset == null) {
			this.charset = charset;
		}
	}

	void setLocaleCharset(@Nullable String charset) {
		if (this.fixedCharset == null) {
			this.localeCharset = charset;
		}
	}

	/**
	 * Fixes the charset as the container does: the content type names the encoding of the
	 * writer.
	 */
	void fixCharset(String charset) {
		this.fixedCharset = charset;
	}

	@Nullable String charset() {
		return (this.fixedCharset != null) ? this.fixedCharset : chosenCharset();
	}

	private @Nullable String chosenCharset() {
		return (this.charset != null) ? this.charset : this.localeCharset;
	}

	/**
	 * Returns the value of the header, with the charset.
	 * @return the value, {@code null} if no type was set
	 */
	@Nullable String header() {
		return header(charset());
	}

	/**
	 * Returns the value of the header as it was set, without the charset that the
	 * container adds for the writer.
	 * @return the value, {@code null} if no type was set
	 */
	@Nullable String headerAsSet() {
		return header(chosenCharset());
	}

	private @Nullable String header(@Nullable String own) {
		if (Objects.equals(own, this.wholeCharset)) {
			return this.whole;
		}
		return (this.type != null && own != null) ? this.type + ";charset=" + own : this.type;
	}

	void clear() {
		set(null);
		this.charset = null;
		this.localeCharset = null;
		this.fixedCharset = null;
	}

}
