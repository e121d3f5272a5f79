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
package dev.idempotency.engine.codec;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import dev.idempotency.codec.CodecContext;
import dev.idempotency.codec.CodecContext.Purpose;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.store.Identity;

/**
 * Commands as bytes, encoded as answers are: encrypted, where those are. The first byte
 * is the format's version.
 */
public record CommandFormat(ResponseCodec codec) {

	private static final byte VERSION = 2;

	public byte[] encode(Identity identity, byte[] fingerprint, Command command) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(command.content().length + 64);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			SenderFormat.write(command.sender(), out);
			out.writeUTF(command.kind());
			out.write(command.content());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return this.codec.encode(context(identity, fingerprint), bytes.toByteArray());
	}

	/**
	 * Reads a command.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param encoded the stored content
	 * @return the command
	 * @throws IllegalStateException if this version cannot read it
	 */
	public Command decode(Identity identity, byte[] fingerprint, byte[] encoded) {
		byte[] decoded = this.codec.decode(context(identity, fingerprint), encoded);
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(decoded))) {
			if (in.readByte() != VERSION) {
				throw new IOException("Unknown format");
			}
			return new Command(SenderFormat.read(in), in.readUTF(), in.readAllBytes());
		}
		catch (IOException ex) {
			throw new IllegalStateException("A stored command cannot be read", ex);
		}
	}

	private static CodecContext context(Identity identity, byte[] fingerprint) {
		return CodecContext.of(Purpose.COMMAND, identity.digest(), fingerprint);
	}

}
