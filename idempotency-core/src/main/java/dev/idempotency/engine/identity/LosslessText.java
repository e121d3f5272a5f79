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
package dev.idempotency.engine.identity;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Text as bytes such that different texts give different bytes. UTF-8 has none for a
 * surrogate without its partner, and Java's encoder writes a question mark instead. Such
 * a surrogate is encoded here as if it were a character, with three bytes that no valid
 * UTF-8 contains; all other text is UTF-8.
 */
final class LosslessText {

	private LosslessText() {
	}

	public static byte[] toBytes(String text) {
		int lone = findLoneSurrogate(text, 0);
		if (lone < 0) {
			return text.getBytes(StandardCharsets.UTF_8);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 8);
		int start = 0;
		while (lone >= 0) {
			bytes.writeBytes(text.substring(start, lone).getBytes(StandardCharsets.UTF_8));
			char surrogate = text.charAt(lone);
			bytes.write(0xe0 | (surrogate >> 12));
			bytes.write(0x80 | ((surrogate >> 6) & 0x3f));
			bytes.write(0x80 | (surrogate & 0x3f));
			start = lone + 1;
			lone = findLoneSurrogate(text, start);
		}
		bytes.writeBytes(text.substring(start).getBytes(StandardCharsets.UTF_8));
		return bytes.toByteArray();
	}

	private static int findLoneSurrogate(String text, int from) {
		for (int i = from; i < text.length(); i++) {
			char c = text.charAt(i);
			if (Character.isSurrogate(c)) {
				boolean paired = Character.isHighSurrogate(c) && i + 1 < text.length()
						&& Character.isLowSurrogate(text.charAt(i + 1));
				if (!paired) {
					return i;
				}
				i++;
			}
		}
		return -1;
	}

}
