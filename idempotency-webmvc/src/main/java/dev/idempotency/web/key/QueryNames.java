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

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The names of the parameters of a query.
 */
public final class QueryNames {

	private QueryNames() {
	}

	/**
	 * Returns the name of a parameter. One that cannot be decoded stays unchanged, since
	 * the container has no parameter for it.
	 * @param parameter a parameter as it was sent, with or without a value
	 */
	public static String of(String parameter) {
		String name = parameter.split("=", 2)[0];
		try {
			return URLDecoder.decode(name, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return name;
		}
	}

}
