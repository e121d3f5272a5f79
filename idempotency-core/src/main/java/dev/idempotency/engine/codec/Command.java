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
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.store.Identity;

/**
 * A request in a form that can be repeated, without credentials. It is encoded like
 * answers, and encrypted if they are. The first byte of the stored form is its version.
 *
 * @param sender the caller and its authentication
 * @param kind the kind of the {@code CommandRunner} that repeats it
 * @param content the request in that form
 */
public record Command(Sender sender, String kind, byte[] content) {

	private static final byte VERSION = 2;

	/**
	 * Encodes the command.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param codec the codec
	 * @return the stored form
	 */
	public byte[] encode(Identity identity, byte[] fingerprint, ContentCodec codec) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(this.content.length + 64);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			write(this.sender, out);
			out.writeUTF(this.kind);
			out.write(this.content);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return codec.encode(Purpose.COMMAND, identity, fingerprint, bytes.toByteArray());
	}

	/**
	 * Decodes a command.
	 * @param identity the identity of its request
	 * @param fingerprint the fingerprint that is stored with it
	 * @param encoded the stored form
	 * @param codec the codec
	 * @return the command
	 * @throws IllegalStateException if this version cannot decode it
	 */
	public static Command decode(Identity identity, byte[] fingerprint, byte[] encoded, ContentCodec codec) {
		byte[] decoded = codec.decode(Purpose.COMMAND, identity, fingerprint, encoded);
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(decoded))) {
			if (in.readByte() != VERSION) {
				throw new IOException("Unknown format");
			}
			return new Command(read(in), in.readUTF(), in.readAllBytes());
		}
		catch (IOException ex) {
			throw new IllegalStateException("A stored command cannot be read", ex);
		}
	}

	private static void write(Sender sender, DataOutputStream out) throws IOException {
		out.writeUTF(sender.account().tenant());
		out.writeUTF(sender.account().issuer());
		out.writeUTF(sender.account().id());
		out.writeUTF(sender.kind().name());
		out.writeUTF(sender.name());
		out.writeUTF(sender.authenticationType());
		out.writeUTF(sender.principalType());
		out.writeInt(sender.authorities().size());
		for (String authority : sender.authorities()) {
			out.writeUTF(authority);
		}
	}

	private static Sender read(DataInputStream in) throws IOException {
		Account account = new Account(in.readUTF(), in.readUTF(), in.readUTF());
		String kind = in.readUTF();
		String name = in.readUTF();
		String authenticationType = in.readUTF();
		String principalType = in.readUTF();
		int count = in.readInt();
		Set<String> authorities = new HashSet<>();
		for (int i = 0; i < count; i++) {
			authorities.add(in.readUTF());
		}
		return new Sender(account, kind(kind), name, authenticationType, principalType, authorities);
	}

	/**
	 * Returns {@link Sender.Kind#OTHER} for a kind that only a newer version knows: this
	 * version does not act for it.
	 */
	private static Sender.Kind kind(String name) {
		return Stream.of(Sender.Kind.values())
			.filter((kind) -> kind.name().equals(name))
			.findFirst()
			.orElse(Sender.Kind.OTHER);
	}

}
