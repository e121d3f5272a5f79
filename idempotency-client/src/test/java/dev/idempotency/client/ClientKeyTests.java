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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import dev.idempotency.HeaderSyntax;
import dev.idempotency.client.ClientSettings.Keys;
import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ClientKeyTests extends ScriptedClient {

	@Test
	void eachRequestHasAKeyOfItsOwn() {
		charge();
		charge();
		assertThat(new HashSet<>(this.server.keys())).hasSize(2)
			.allSatisfy((key) -> assertThat(UUID.fromString(key).version()).isEqualTo(7));
	}

	@Test
	void aKeyThatTheRequestHasIsKeptOverItsRetries() {
		this.server.reply(503);
		this.client.put().uri("/charges/1").header("Idempotency-Key", "mine").retrieve().toBodilessEntity();
		assertThat(this.server.keys()).containsExactly("mine", "mine");
	}

	@Test
	void theKeyIsAnRfc9651StringWhereTheOtherSystemIsStrict() {
		RestClient strict = client(Settings.with(Settings.RETRY, HeaderSyntax.STRICT, Keys.SAME, Map.of()),
				(builder) -> {
				});
		IdempotencyKeys.operation("say\"it\\", () -> charge(strict, "/charges"));
		assertThat(this.server.keys()).containsExactly("\"say\\\"it\\\\\"");
	}

	@Test
	void allAttemptsOfAnOperationHaveOneKey() {
		RestClient once = client(Settings.with(Settings.NO_RETRY), (builder) -> {
		});
		this.server.loseAnswer();
		IdempotencyKeys.operation(() -> {
			assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> charge(once, "/charges"));
			assertThat(charge(once, "/charges")).isEqualTo("done");
		});
		assertOneKey(2);
	}

	@Test
	void twoRequestsAtOneSystemAreNotOneOperation() {
		IdempotencyKeys.operation("order-42", () -> {
			charge();
			assertThatIllegalStateException().isThrownBy(() -> charge(this.client, "/mails?secret=1"))
				.withMessageContainingAll("POST /mails?…", "POST /charges", "IdempotencyKeys.part")
				.withMessageNotContaining("secret");
		});
		assertThat(this.server.received()).hasSize(1);
	}

	@Test
	void partsOfAnOperationHaveKeysOfTheirOwnInWhicheverOrder() {
		IdempotencyKeys.operation("order-42", () -> {
			IdempotencyKeys.part("mail", () -> charge(this.client, "/mails"));
			IdempotencyKeys.part("charge", () -> charge(this.client, "/charges"));
		});
		IdempotencyKeys.operation("order-42", () -> {
			IdempotencyKeys.part("charge", () -> charge(this.client, "/charges"));
			IdempotencyKeys.part("mail", () -> charge(this.client, "/mails"));
		});
		List<String> keys = this.server.received().stream().map((request) -> request.path() + request.key()).toList();
		assertThat(keys.subList(0, 2)).containsExactlyInAnyOrderElementsOf(keys.subList(2, 4));
		assertThat(new HashSet<>(this.server.keys())).hasSize(2).doesNotContain("order-42");
	}

	@Test
	void eachSystemThatIsAskedInAnOperationHasAKeyOfItsOwnOnEveryAttempt() {
		try (ScriptedServer tokens = new ScriptedServer()) {
			for (int attempt = 0; attempt < 2; attempt++) {
				IdempotencyKeys.operation("order-42", () -> {
					charge(this.client, tokens.address() + "/tokens");
					charge();
				});
			}
			assertOneKey(2);
			assertThat(new HashSet<>(tokens.keys())).hasSize(1)
				.doesNotContain("order-42")
				.doesNotContainAnyElementsOf(this.server.keys());
			assertThat(this.server.keys()).doesNotContain("order-42");
		}
	}

	@Test
	void allSystemsHaveTheSameKeyWhereTheApplicationWantsIt() {
		RestClient same = client(Settings.with(Keys.SAME, Map.of()), (builder) -> {
		});
		try (ScriptedServer tokens = new ScriptedServer()) {
			IdempotencyKeys.operation("order-42", () -> {
				charge(same, tokens.address() + "/tokens");
				charge(same, "/charges");
			});
			assertThat(tokens.keys()).containsExactly("order-42");
			assertThat(this.server.keys()).containsExactly("order-42");
		}
	}

	@Test
	void theHostsOfOneSystemHaveOneKeyOfAnOperation() {
		try (ScriptedServer standby = new ScriptedServer()) {
			List<String> hosts = List.of(URI.create(this.server.address()).getAuthority(),
					URI.create(standby.address()).getAuthority());
			RestClient failingOver = client(Settings.with(Keys.DERIVED, Map.of("payments", hosts)), (builder) -> {
			});
			IdempotencyKeys.operation("order-42", () -> {
				charge(failingOver, "/charges");
				charge(failingOver, standby.address() + "/charges");
			});
			assertThat(standby.keys()).hasSize(1).isEqualTo(this.server.keys());
		}
	}

	@ParameterizedTest
	@CsvSource({ "https://Api.Example.com/a, https://api.example.com",
			"https://api.example.com:443, https://api.example.com",
			"http://api.example.com:443, http://api.example.com:443",
			"http://user:secret@api_host:81/x, http://api_host:81", "https://API-2.example.com/x, payments",
			"http://[::1]:8080/, http://[::1]:8080" })
	void oneSystemHasOneNameHoweverItsAddressIsWritten(URI uri, String name) {
		ClientTargets targets = new ClientTargets(
				Map.of("payments", List.of("api-1.example.com", "api-2.example.com")));
		assertThat(targets.of(uri)).isEqualTo(name);
	}

	@Test
	void anAuthorityBelongsToOneSystem() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new ClientTargets(Map.of("one", List.of("a.example"), "two", List.of("A.example"))))
			.withMessageContaining("a.example");
	}

}
