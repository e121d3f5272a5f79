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

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;

import dev.idempotency.account.AccountResolver;
import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.SharedApplications;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertProblem;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owner of a key when Spring Security's principal has no name, no stable one, or one that
 * somebody else has at another issuer.
 */
@ExtendWith(OutputCaptureExtension.class)
class PrincipalTests {

	private static final String SHARE = "idempotency.anonymous=share";

	@RegisterExtension
	static final SharedApplications APPLICATIONS = new SharedApplications();

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = RunningApplication.start(List.of(Callers.Orders.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private HttpResponse<byte[]> order(RunningApplication receiver, @Nullable Authentication caller, String path) {
		var request = receiver.anonymous(path + this.key)
			.header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{}"));
		if (caller != null) {
			String name = UUID.randomUUID().toString();
			NamedCallers.register(name, () -> caller);
			request.header(NamedCallers.HEADER, name);
		}
		return receiver.send(request);
	}

	private HttpResponse<byte[]> order(Authentication caller) {
		return order(application, caller, "/open/orders/");
	}

	@Test
	@Tag("S10")
	void aPrincipalWithoutANameIsRefusedAndTheLogSaysWhatToDeclare(CapturedOutput output) {
		assertProblem(order(new Callers.Nameless(null)), 403, "account-required");
		assertProblem(order(new Callers.Nameless("")), 403, "account-required");
		assertProblem(order(new Callers.Nameless(" ")), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
		assertThat(output).contains("IDEM-1102", Callers.Nameless.class.getName(), "Declare an AccountResolver bean");
	}

	@Test
	@Tag("S10")
	void aPrincipalWithoutANameIsNotTheSharedAccountEither() {
		RunningApplication sharing = APPLICATIONS.get(Callers.Orders.class, SHARE);
		assertProblem(order(sharing, new Callers.Nameless(null), "/open/orders/"), 403, "account-required");
		assertProblem(order(sharing, Callers.user(""), "/open/orders/"), 403, "account-required");
		assertOriginal(order(sharing, null, "/open/orders/"), 200);
	}

	static Stream<Object> principalsWithoutAName() {
		return Stream.of(Callers.claims(), Callers.json(), List.of("7"), new byte[] { 7 }, new Callers.Merchant("7"),
				new Callers.Member(7, Instant.now()), new Callers.Customer(7), new Callers.Printed("id=7, issuedAt="),
				new Callers.Printed("{\"id\":\"7\",\"at\":"), new Callers.Printed("Printed [id=7, at="),
				new Callers.Derived("7"), Optional.of("7"), Callers.user(Callers.claims()));
	}

	/**
	 * Any field may change between a request and its retry, and an address does.
	 */
	@ParameterizedTest
	@Tag("S10")
	@Tag("S14")
	@MethodSource("principalsWithoutAName")
	void aPrincipalWhoseTypeDeclaresNoNameIsRefused(Object principal) {
		assertProblem(order(Callers.user(principal)), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
	}

	@Test
	@Tag("S14")
	void theLogOfARefusedPrincipalNamesItsTypeAndTheAccountResolver(CapturedOutput output) {
		order(Callers.user(new Callers.Unlogged()));
		assertThat(output).contains("IDEM-1102", Callers.Unlogged.class.getName(), "AccountResolver");
	}

	static Stream<Arguments> principalsWithAName() {
		return Stream.of(Arguments.of("7", "8"), Arguments.of(new StringBuilder("7"), new StringBuilder("8")),
				Arguments.of(7L, 8L), Arguments.of(new UUID(0, 7), new UUID(0, 8)),
				Arguments.of(Callers.Branch.NORTH, Callers.Branch.SOUTH),
				Arguments.of((Principal) () -> "7", (Principal) () -> "8"),
				Arguments.of((AuthenticatedPrincipal) () -> "7", (AuthenticatedPrincipal) () -> "8"),
				Arguments.of(new User("7", "", List.of()), new User("8", "", List.of())),
				Arguments.of(Callers.user("7"), Callers.user("8")));
	}

	@ParameterizedTest
	@Tag("S14")
	@MethodSource("principalsWithAName")
	void aPrincipalWhoseTypeDeclaresANameIsAnAccount(Object principal, Object other) {
		HttpResponse<byte[]> first = order(Callers.user(principal));
		assertOriginal(first, 200);
		assertReplay(order(Callers.user(principal)), first);
		assertOriginal(order(Callers.user(other)), 200);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	@Test
	@Tag("S14")
	void aNameThatTheAuthenticationDeclaresCountsWhateverItsPrincipalIs() {
		HttpResponse<byte[]> first = order(new Callers.NamedToken("7", Callers.claims()));
		assertOriginal(first, 200);
		assertReplay(order(new Callers.NamedToken("7", Callers.claims())), first);
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	/**
	 * Spring Security copies it when another factor is added, and names the copy by the
	 * text of its principal.
	 */
	@Test
	@Tag("S14")
	void aCopiedAuthenticationHasTheNameOfItsPrincipal() {
		Authentication copied = new Callers.NamedToken("key", new User("7", "", List.of())).toBuilder().build();
		HttpResponse<byte[]> first = order(copied);
		assertOriginal(first, 200);
		assertReplay(order(Callers.user("7")), first);
		assertProblem(order(new Callers.NamedToken("key", Callers.claims()).toBuilder().build()), 403,
				"account-required");
	}

	@Test
	@Tag("S14")
	void oneNameIsOneAccountHoweverItWasAuthenticatedUnlessTheApplicationTellsThemApart() {
		HttpResponse<byte[]> first = order(new Callers.NamedToken("ann", "key of ann"));
		assertOriginal(first, 200);
		assertReplay(order(Callers.user(new User("ann", "", List.of()))), first);
		try (RunningApplication resolving = RunningApplication
			.start(List.of(Callers.Orders.class, Callers.Kinds.class))) {
			assertOriginal(order(resolving, new Callers.NamedToken("ann", "key of ann"), "/open/orders/"), 200);
			assertOriginal(order(resolving, Callers.user(new User("ann", "", List.of())), "/open/orders/"), 200);
			assertThat(resolving.effects(this.key)).isEqualTo(2);
		}
	}

	@Test
	@Tag("S15")
	void anIssuerCountsWhereverTheAuthenticationHoldsIt() {
		HttpResponse<byte[]> first = order(Callers.converted("https://one.example", "7"));
		assertOriginal(first, 200);
		assertReplay(order(Callers.converted("https://one.example", "7")), first);
		assertOriginal(order(Callers.converted("https://two.example", "7")), 200);
		assertOriginal(order(Callers.user(new User("7", "", List.of()))), 200);
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@Test
	@Tag("S18")
	@Tag("Y15")
	void aMegabyteAsTheNameOfAPrincipalIsRefused() {
		assertProblem(order(Callers.user("a.".repeat(500_000))), 403, "account-required");
		assertProblem(order(Callers.user((Principal) () -> "a.".repeat(500_000))), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
	}

	@ParameterizedTest
	@Tag("S18")
	@Tag("Y15")
	@ValueSource(strings = { "typed", "joined", "served" })
	void aLongTextInAKeyExpressionIsAMalformedKey(String path) {
		String head = "a".repeat(40_000);
		for (String text : List.of("a.".repeat(4_000), head, "a.".repeat(500_000))) {
			HttpResponse<byte[]> response = application.send(application.anonymous("/open/" + path + "/" + this.key)
				.header(NamedCallers.HEADER, ann())
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString("{\"id\":{\"value\":\"" + text + "\"}}")));
			assertProblem(response, 400, "malformed-key");
		}
		assertThat(application.effects(this.key)).isZero();
	}

	private static String ann() {
		String name = UUID.randomUUID().toString();
		NamedCallers.register(name, () -> Callers.user("ann"));
		return name;
	}

	@Test
	@Tag("S11")
	void aSubjectOfTwoIssuersIsTwoAccounts() {
		HttpResponse<byte[]> first = order(Callers.bearer("https://one.example", "7"));
		assertOriginal(first, 200);
		assertReplay(order(Callers.bearer("https://one.example", "7")), first);
		assertOriginal(order(Callers.bearer("https://two.example", "7")), 200);
		assertOriginal(order(Callers.bearer(null, "7")), 200);
		assertOriginal(order(Callers.user("7")), 200);
		assertThat(application.effects(this.key)).isEqualTo(4);
	}

	@Test
	@Tag("S11")
	void aSubjectOfTwoLoginProvidersIsTwoAccounts() {
		HttpResponse<byte[]> first = order(Callers.login("github", "ann"));
		assertOriginal(first, 200);
		assertReplay(order(Callers.login("github", "ann")), first);
		assertOriginal(order(Callers.login("gitlab", "ann")), 200);
		assertOriginal(order(Callers.user("ann")), 200);
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@Test
	@Tag("S11")
	void usersOfTwoStoresWithOneNameAreOneAccountUnlessTheApplicationTellsThemApart() {
		User ofTheTable = new User("ann", "", AuthorityUtils.createAuthorityList("ROLE_TABLE"));
		User ofTheDirectory = new User("ann", "", AuthorityUtils.createAuthorityList("ROLE_DIRECTORY"));
		HttpResponse<byte[]> first = order(Callers.user(ofTheTable));
		assertOriginal(first, 200);
		assertReplay(order(Callers.user(ofTheDirectory)), first);
		try (RunningApplication resolving = RunningApplication
			.start(List.of(Callers.Orders.class, Callers.Directories.class))) {
			assertOriginal(order(resolving, Callers.user(ofTheTable), "/open/orders/"), 200);
			assertOriginal(order(resolving, Callers.user(ofTheDirectory), "/open/orders/"), 200);
			assertThat(resolving.effects(this.key)).isEqualTo(2);
		}
	}

	@Test
	@Tag("S12")
	void namesThatDifferInWhatUtf8CannotEncodeAreTwoAccounts() {
		HttpResponse<byte[]> first = order(Callers.user("bob\ud800"));
		assertOriginal(first, 200);
		assertOriginal(order(Callers.user("bob?")), 200);
		assertOriginal(order(Callers.user("bob\ud801")), 200);
		assertReplay(order(Callers.user("bob\ud800")), first);
		assertThat(application.effects(this.key)).isEqualTo(3);
	}

	@Test
	@Tag("S13")
	void anAnonymousCallerOfAProtectedServiceIsRefused() {
		assertProblem(order(application, null, "/open/served/"), 403, "account-required");
		assertThat(application.effects(this.key)).isZero();
		assertOriginal(order(application, Callers.user("ann"), "/open/served/"), 200);
	}

	@Test
	@Tag("S13")
	void aThreadWithoutACallerActsForTheApplication() {
		Callers.Served served = application.context().getBean(Callers.Served.class);
		String first = served.serve(this.key);
		assertThat(served.serve(this.key)).isEqualTo(first);
		assertThat(application.effects(this.key)).isEqualTo(1);
	}

	@Test
	@Tag("S13")
	void anonymousCallersOfAProtectedServiceShareWhereTheSettingSaysSo() {
		RunningApplication sharing = APPLICATIONS.get(Callers.Orders.class, SHARE);
		HttpResponse<byte[]> first = order(sharing, null, "/open/served/");
		assertOriginal(first, 200);
		assertThat(order(sharing, null, "/open/served/").body()).isEqualTo(first.body());
		assertThat(sharing.effects(this.key)).isEqualTo(1);
	}

}
