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

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;

/**
 * Senders as bytes within a command.
 */
final class SenderFormat {

	private SenderFormat() {
	}

	static void write(Sender sender, DataOutputStream out) throws IOException {
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

	static Sender read(DataInputStream in) throws IOException {
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
	 * This version does not act for a kind that only a newer version knows.
	 */
	private static Sender.Kind kind(String name) {
		for (Sender.Kind kind : Sender.Kind.values()) {
			if (kind.name().equals(name)) {
				return kind;
			}
		}
		return Sender.Kind.OTHER;
	}

}
