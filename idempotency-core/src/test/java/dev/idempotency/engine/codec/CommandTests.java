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

import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.idempotency.account.Account;
import dev.idempotency.account.Sender;
import dev.idempotency.account.Sender.Kind;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.store.Identity;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("Y9")
class CommandTests {

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[16]);

	private static final byte[] FINGERPRINT = new byte[33];

	private static final ContentCodec CODEC = new ContentCodec("app", new Plain());

	@Test
	void aSenderIsReadAsItWasWritten() {
		Sender sender = new Sender(Account.of("acme", "ann").withIssuer("https://one.example"), Kind.USER, "ann\ud800",
				"a.Token", "a.Principal", Set.of("ROLE_A", "ROLE_B"), Set.of("FACTOR_PASSWORD"), "0a1b");
		Command read = writtenAndRead(new Command(sender, "http", new byte[] { 1, 2 }));
		assertThat(read.sender()).isEqualTo(sender);
		assertThat(read.kind()).isEqualTo("http");
		assertThat(read.content()).containsExactly(1, 2);
	}

	@Test
	void aSenderOfWhomNothingIsKnownIsReadAsSuch() {
		Sender sender = Sender.of(Account.SHARED);
		assertThat(writtenAndRead(new Command(sender, "http", new byte[0])).sender()).isEqualTo(sender);
	}

	@Test
	void aRequestThatIsNotStoredHasAReason() {
		Command read = writtenAndRead(Command.notStored(Sender.of(Account.SHARED), "It has parts."));
		assertThat(read.reasonNotStored()).isEqualTo("It has parts.");
		assertThat(new Command(read.sender(), "http", new byte[0]).reasonNotStored()).isNull();
	}

	private static Command writtenAndRead(Command command) {
		return Command.decode(IDENTITY, FINGERPRINT, command.encode(IDENTITY, FINGERPRINT, CODEC), CODEC);
	}

	private static final class Plain implements ResponseCodec {

		@Override
		public byte[] encode(ResponseCodec.Context context, byte[] content) {
			return content;
		}

		@Override
		public byte[] decode(ResponseCodec.Context context, byte[] encoded) {
			return encoded;
		}

	}

}
