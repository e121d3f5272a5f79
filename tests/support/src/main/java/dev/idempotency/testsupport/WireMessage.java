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
package dev.idempotency.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A message of PostgreSQL's protocol.
 *
 * @param type its type, 0 for the first message of a client, which has none
 * @param content the content after the length
 */
record WireMessage(char type, byte[] content) {

	static WireMessage readUntyped(DataInputStream in) throws IOException {
		return new WireMessage((char) 0, readContent(in));
	}

	static WireMessage read(DataInputStream in) throws IOException {
		char type = (char) in.readUnsignedByte();
		return new WireMessage(type, readContent(in));
	}

	private static byte[] readContent(DataInputStream in) throws IOException {
		byte[] content = new byte[in.readInt() - Integer.BYTES];
		in.readFully(content);
		return content;
	}

	/**
	 * Writes the message at once, so that it is not two packets.
	 */
	void writeTo(OutputStream out) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream data = new DataOutputStream(bytes);
		if (this.type != 0) {
			data.writeByte(this.type);
		}
		data.writeInt(this.content.length + Integer.BYTES);
		data.write(this.content);
		bytes.writeTo(out);
		out.flush();
	}

	/**
	 * Returns one of the zero-terminated strings that the content begins with.
	 */
	String string(int index) {
		int start = 0;
		for (int i = 0; i < index; i++) {
			start = endOfString(start) + 1;
		}
		return new String(this.content, start, endOfString(start) - start, StandardCharsets.UTF_8);
	}

	private int endOfString(int start) {
		int end = start;
		while (this.content[end] != 0) {
			end++;
		}
		return end;
	}

}
