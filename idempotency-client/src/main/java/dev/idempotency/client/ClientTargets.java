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
package dev.idempotency.client;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The systems that requests are sent to.
 */
final class ClientTargets {

	/**
	 * The names of systems by authority, in lower case: all authorities with one name are
	 * one system.
	 */
	private final Map<String, String> names = new HashMap<>();

	/**
	 * Creates targets.
	 * @param authorities the authorities by the name of their system
	 * @throws IllegalArgumentException if an authority belongs to two systems
	 */
	ClientTargets(Map<String, List<String>> authorities) {
		authorities.forEach((name, all) -> all.forEach((authority) -> {
			String canonical = authority.toLowerCase(Locale.ROOT);
			String other = this.names.put(canonical, name);
			if (other != null && !other.equals(name)) {
				throw new IllegalArgumentException(
						"'" + canonical + "' belongs to the targets '" + other + "' and '" + name + "'");
			}
		}));
	}

	/**
	 * Returns the system that a request goes to: its name, or else its origin (RFC 6454
	 * section 4) without a default port. Keys depend on it.
	 */
	String of(URI uri) {
		String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
		String authority = authority(uri, scheme);
		String name = this.names.get(authority);
		return (name != null) ? name : scheme + "://" + authority;
	}

	/**
	 * Returns host and port. {@link URI#getHost} is {@code null} for an invalid host
	 * name, such as one with an underscore: it is only in the authority, perhaps behind
	 * credentials.
	 */
	private static String authority(URI uri, String scheme) {
		if (uri.getHost() == null) {
			String authority = String.valueOf(uri.getRawAuthority()).toLowerCase(Locale.ROOT);
			return authority.substring(authority.lastIndexOf('@') + 1);
		}
		String host = uri.getHost().toLowerCase(Locale.ROOT);
		boolean isDefault = uri.getPort() < 0 || uri.getPort() == (scheme.equals("https") ? 443 : 80);
		return isDefault ? host : host + ":" + uri.getPort();
	}

}
