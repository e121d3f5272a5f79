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
package dev.idempotency.conformance.request;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group S: whose key it is, over tenants, instances and applications.
 */
@ExtendWith(OutputCaptureExtension.class)
class AccountTests {

	private static final TestDatabase database = MigratedDatabase.create();

	private static RunningApplication application;

	private static RunningApplication second;

	private static RunningApplication tenants;

	private static RunningApplication sharing;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		List<Class<?>> controller = List.of(Orders.class);
		application = RunningApplication.start(database, controller);
		second = RunningApplication.start(database, controller);
		tenants = RunningApplication.start(database, List.of(Orders.class, Tenants.class),
				"idempotency.namespace=tenants");
		sharing = RunningApplication.start(database, controller, "spring.application.name=other",
				"idempotency.anonymous=share");
	}

	@AfterAll
	static void stop() {
		List.of(application, second, tenants, sharing).forEach(RunningApplication::close);
	}

	@Test
	@Tag("S2")
	void theSameUserAndKeyInTwoTenantsAreTwoKeys() {
		HttpResponse<byte[]> red = send("red", "ann", this.key);
		HttpResponse<byte[]> blue = send("blue", "ann", this.key);
		assertOriginal(red, 200);
		assertOriginal(blue, 200);
		assertThat(blue.body()).isNotEqualTo(red.body());
		assertReplay(send("red", "ann", this.key), red);
		assertReplay(send("blue", "ann", this.key), blue);
		assertThat(tenants.effects(this.key)).isEqualTo(2);
	}

	@ParameterizedTest
	@Tag("S5")
	@CsvSource({ "ab,c,a,bc", "a,bc,ab,c", "'',ab,ab,''", "a,b:c,a:b,c", "a,b/c,a/b,c", "a|b,c,a,b|c" })
	void partsThatDifferOnlyInWhereTheyAreSplitAreDifferent(String tenant, String user, String otherTenant,
			String otherUser) {
		assertOriginal(send(tenant, user, this.key), 200);
		assertOriginal(send(otherTenant, otherUser, this.key), 200);
		assertOriginal(send(tenant, user + "x", this.key), 200);
		assertOriginal(send(tenant, user, "x" + this.key), 200);
		assertThat(tenants.effects(this.key)).isEqualTo(4);
	}

	@Test
	@Tag("S6")
	void anAnonymousCallerIsRefused() {
		long records = application.records();
		assertProblem(sendAnonymously(application), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
		assertThat(application.records()).isEqualTo(records);
	}

	@Test
	@Tag("S6")
	void anonymousCallersShareTheirKeysWhereTheSettingSaysSo() {
		HttpResponse<byte[]> first = sendAnonymously(sharing);
		assertOriginal(first, 200);
		assertReplay(sendAnonymously(sharing), first);
		assertOriginal(sharing.post(ALICE, "/open/orders/" + this.key, this.key, "{}"), 200);
		assertThat(sharing.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("Y12")
	void aShortKeyOfAnAnonymousCallerIsMalformed() {
		String path = "/open/orders/" + this.key;
		assertProblem(sendAnonymously(sharing, path, "fifteen-letters"), 400, "malformed-key");
		assertOriginal(sendAnonymously(sharing, path, this.key.substring(0, 16)), 200);
		assertOriginal(sharing.post(ALICE, path, "short", "{}"), 200);
	}

	@Test
	@Tag("S7")
	void anyInstanceReplaysWhatAnotherHasStored() {
		String path = "/orders/" + this.key;
		HttpResponse<byte[]> first = application.post(ALICE, path, this.key, "{}");
		assertReplay(second.post(ALICE, path, this.key, "{}"), first);
		assertReplay(application.post(ALICE, path, this.key, "{}"), first);
		assertProblem(second.post(ALICE, path, this.key, "{\"other\":1}"), 422, "key-reused");
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	@Test
	@Tag("S8")
	void anotherApplicationOnTheSameStoreHasItsOwnKeys() {
		String path = "/orders/" + this.key;
		HttpResponse<byte[]> first = application.post(ALICE, path, this.key, "{}");
		HttpResponse<byte[]> other = sharing.post(ALICE, path, this.key, "{}");
		assertOriginal(first, 200);
		assertOriginal(other, 200);
		assertThat(other.body()).isNotEqualTo(first.body());
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@ParameterizedTest
	@Tag("S17")
	@ValueSource(strings = { "", " " })
	void anApplicationWithoutANameIsWarnedThatAnotherMayShareItsKeys(String name, CapturedOutput output) {
		try (RunningApplication unnamed = RunningApplication.start(List.of(Orders.class),
				"spring.application.name=" + name, "idempotency.namespace=" + name)) {
			assertOriginal(unnamed.post(ALICE, "/orders/" + this.key, this.key, "{}"), 200);
		}
		assertThat(output).containsOnlyOnce("IDEM-1014").contains("Set idempotency.namespace");
	}

	@Test
	@Tag("S17")
	void anApplicationWithANameIsNotWarned(CapturedOutput output) {
		RunningApplication.start(List.of(Orders.class), "spring.application.name=", "idempotency.namespace=orders")
			.close();
		RunningApplication.start(List.of(Orders.class)).close();
		assertThat(output).doesNotContain("IDEM-1014");
	}

	@Test
	@Tag("S17")
	void anEncryptedAnswerThatIsMovedToAnotherApplicationIsNotReplayedThere() {
		String[] encryption = { "idempotency.codec.type=aes-gcm", "idempotency.codec.keys.one="
				+ Base64.getEncoder().encodeToString("a key that has thirty-two bytes.".getBytes(US_ASCII)) };
		TestDatabase shared = MigratedDatabase.create();
		String path = "/orders/" + this.key;
		try (RunningApplication one = RunningApplication.start(shared, List.of(Orders.class), encryption);
				RunningApplication two = RunningApplication.start(shared, List.of(Orders.class), encryption[0],
						encryption[1], "idempotency.namespace=two")) {
			assertOriginal(one.post(ALICE, path, this.key, "{}"), 200);
			byte[] first = id(one);
			assertOriginal(two.post(ALICE, path, this.key, "{}"), 200);
			assertThat(one.effects(this.key)).isEqualTo(2);
			byte[] second = one.jdbc()
				.queryForObject("select id from idempotency_record where id <> ?", byte[].class, (Object) first);
			one.jdbc().update("delete from idempotency_record where id = ?", (Object) second);
			one.jdbc().update("update idempotency_record set id = ?", (Object) second);
			assertThat(two.post(ALICE, path, this.key, "{}").statusCode()).isIn(409, 422);
			assertThat(one.effects(this.key)).isEqualTo(2);
		}
	}

	private static byte[] id(RunningApplication application) {
		return application.jdbc().queryForObject("select id from idempotency_record", byte[].class);
	}

	private HttpResponse<byte[]> send(String tenant, String user, String key) {
		HttpRequest.Builder request = tenants.json(ALICE, "/orders/" + this.key, "{}");
		return tenants.send(request.header("X-Tenant", tenant).header("X-User", user).header("Idempotency-Key", key));
	}

	private HttpResponse<byte[]> sendAnonymously(RunningApplication receiver) {
		return sendAnonymously(receiver, "/open/orders/" + this.key, this.key);
	}

	private static HttpResponse<byte[]> sendAnonymously(RunningApplication receiver, String path, String key) {
		return receiver.send(receiver.anonymous(path)
			.header("Idempotency-Key", key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{}")));
	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		AccountResolver accountResolver(HttpServletRequest request) {
			return () -> Account.of(request.getHeader("X-Tenant"), request.getHeader("X-User"));
		}

	}

	@RestController
	static class Orders {

		private final Effects effects;

		Orders(Effects effects) {
			this.effects = effects;
		}

		@Idempotent
		@PostMapping({ "/orders/{label}", "/open/orders/{label}" })
		Map<String, Object> order(@PathVariable String label) {
			return Map.of("id", this.effects.record(label).getId());
		}

	}

}
