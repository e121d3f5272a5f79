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

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * JSON pointers (RFC 6901) to values excluded from a comparison, as a tree that is walked
 * along with the document.
 */
final class JsonExclusions {

	private final Map<String, JsonExclusions> children = new HashMap<>();

	private boolean excluded;

	private JsonExclusions() {
	}

	/**
	 * Reads the pointers.
	 * @param pointers the pointers in their string representation (RFC 6901, section 5)
	 * @return the root of the tree
	 * @throws IllegalArgumentException if one of them is not a pointer, or points to the
	 * whole document
	 */
	static JsonExclusions of(Collection<String> pointers) {
		JsonExclusions root = new JsonExclusions();
		for (String pointer : pointers) {
			root.add(pointer);
		}
		return root;
	}

	private void add(String pointer) {
		if (pointer.isEmpty()) {
			throw invalid(pointer, "it would exclude the whole body; name a member, such as '/requestedAt'");
		}
		if (pointer.charAt(0) != '/') {
			throw invalid(pointer, "it must begin with '/', as in '/requestedAt' or '/items/0/note'");
		}
		JsonExclusions node = this;
		for (String token : pointer.substring(1).split("/", -1)) {
			node = node.children.computeIfAbsent(unescape(pointer, token), (name) -> new JsonExclusions());
		}
		node.excluded = true;
	}

	// Section 4: ~1 before ~0, so that ~01 becomes ~1 and not a slash
	private static String unescape(String pointer, String token) {
		for (int i = token.indexOf('~'); i >= 0; i = token.indexOf('~', i + 1)) {
			if (i + 1 == token.length() || "01".indexOf(token.charAt(i + 1)) < 0) {
				throw invalid(pointer, "write '~0' for '~' and '~1' for a '/' inside a name");
			}
		}
		return token.replace("~1", "/").replace("~0", "~");
	}

	private static IllegalArgumentException invalid(String pointer, String reason) {
		return new IllegalArgumentException(
				"'" + pointer + "' cannot be excluded from the fingerprint as an RFC 6901 JSON pointer: " + reason);
	}

	/**
	 * Returns the exclusions below a member, or {@code null} if nothing is.
	 */
	@Nullable JsonExclusions member(String name) {
		return this.children.get(name);
	}

	/**
	 * Returns the exclusions below an array element, or {@code null} if nothing is.
	 */
	@Nullable JsonExclusions element(int index) {
		return this.children.isEmpty() ? null : this.children.get(Integer.toString(index));
	}

	/**
	 * Returns whether a pointer ends here.
	 */
	boolean isExcluded() {
		return this.excluded;
	}

}
