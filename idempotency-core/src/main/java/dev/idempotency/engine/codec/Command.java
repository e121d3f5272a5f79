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
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.store.Identity;

/**
 * A request in a form that can be repeated, without credentials. It is encoded like
 * answers, and encrypted if they are. The first byte of the stored form is its version.
 *
 * @param sender the caller and its authentication
 * @param kind the kind of the {@code CommandRunner} that repeats it, empty if the request
 * is not stored
 * @param content the request in that form; if it is not stored, the reason
 */
public record Command(Sender sender, String kind, byte[] content) {

	private static final byte VERSION = 3;

	/**
	 * Creates a command in place of a request that is not stored, which the completer
	 * gives up at once.
	 * @param sender the caller
	 * @param reason the reason for operators
	 * @return the command
	 */
	public static Command notStored(Sender sender, String reason) {
		return new Command(sender, "", reason.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns the reason why the request is not stored, {@code null} if it is.
	 * @return the reason
	 */
	public @Nullable String reasonNotStored() {
		return this.kind.isEmpty() ? new String(this.content, StandardCharsets.UTF_8) : null;
	}

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
		write(sender.authorities(), out);
		write(sender.factors(), out);
		out.writeUTF(sender.userDigest());
	}

	private static void write(Set<String> names, DataOutputStream out) throws IOException {
		out.writeInt(names.size());
		for (String name : names) {
			out.writeUTF(name);
		}
	}

	private static Sender read(DataInputStream in) throws IOException {
		Account account = new Account(in.readUTF(), in.readUTF(), in.readUTF());
		return new Sender(account, Sender.Kind.valueOf(in.readUTF()), in.readUTF(), in.readUTF(), in.readUTF(),
				readNames(in), readNames(in), in.readUTF());
	}

	private static Set<String> readNames(DataInputStream in) throws IOException {
		int count = in.readInt();
		Set<String> names = new HashSet<>();
		for (int i = 0; i < count; i++) {
			names.add(in.readUTF());
		}
		return names;
	}

}
