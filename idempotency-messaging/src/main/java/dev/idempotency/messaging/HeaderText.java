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
package dev.idempotency.messaging;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The text of a header that is sent as bytes.
 */
final class HeaderText {

	private HeaderText() {
	}

	/**
	 * Reads a header. Bytes that are no UTF-8, such as those of a number, are written in
	 * hexadecimal: as text, different ones would be equal, and a message would be taken
	 * for a duplicate of another one.
	 */
	static String of(byte[] value) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
		}
		catch (CharacterCodingException ex) {
			return "0x" + HexFormat.of().formatHex(value);
		}
	}

}
