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
package dev.idempotency.conformance.security;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Errands;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.AccountRequiredException;
import dev.idempotency.operator.UnfinishedRequests;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.RunningApplication.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An application whose security context is held by a bean, which Spring Security uses in
 * place of the static holder.
 */
@Tag("S1")
class OwnContextHolderTests {

	/** As long as an anonymous caller's has to be. */
	private static final String KEY = "7b0c2f1e-4a55-4d0b-9f6e-2f4b8f0a9c11";

	@ParameterizedTest
	@ValueSource(strings = { "reject", "share" })
	void twoCallersAreTwoAccounts(String anonymous) {
		try (RunningApplication application = RunningApplication.start(List.of(Orders.class),
				"idempotency.anonymous=" + anonymous)) {
			HttpResponse<byte[]> first = application.post(ALICE, "/orders", KEY, Labelled.json("order"));
			assertOriginal(first, 200);
			assertOriginal(application.post(BOB, "/orders", KEY, Labelled.json("order")), 200);
			assertReplay(application.post(ALICE, "/orders", KEY, Labelled.json("order")), first);
			assertThat(application.effects("order")).isEqualTo(2);
		}
	}

	@Tag("P4")
	@Test
	void theCompleterRunsAsTheSenderUnderTheRulesOfTheFilterChain() {
		try (RunningApplication application = RunningApplication.start(List.of(Orders.class, Errands.class),
				"idempotency.completer.interval=20ms", "idempotency.completer.after=0",
				"idempotency.completer.max-attempts=3")) {
			Errands.fail("own holder");
			assertThat(application.post(ALICE, "/errands/home?speed=3", KEY, Labelled.json("own holder")).statusCode())
				.isEqualTo(500);
			Errands.repair("own holder");
			UnfinishedRequests requests = application.context().getBean(UnfinishedRequests.class);
			await().until(() -> requests.open(10).isEmpty());
			assertThat(requests.stuck(10)).isEmpty();
			assertThat(application.effects("own holder done")).isEqualTo(1);
		}
	}

	@Tag("S13")
	@Test
	void anAnonymousCallerWithoutARequestIsRefusedByAService() {
		try (RunningApplication application = RunningApplication.start(List.of(Orders.class, Service.class))) {
			SecurityContextHolderStrategy holder = application.context().getBean(SecurityContextHolderStrategy.class);
			Service service = application.context().getBean(Service.class);
			holder.setContext(new SecurityContextImpl(new AnonymousAuthenticationToken("key", "anonymousUser",
					AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"))));
			assertThatExceptionOfType(AccountRequiredException.class).isThrownBy(() -> service.serve("anonymous"));
			holder.clearContext();
			service.serve("scheduled");
			assertThat(application.effects("anonymous")).isZero();
			assertThat(application.effects("scheduled")).isEqualTo(1);
		}
	}

	static class Service {

		private final Effects effects;

		Service(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#p0")
		public String serve(String key) {
			return this.effects.record(key).getId().toString();
		}

	}

	@RestController
	static class Orders {

		private final Effects effects;

		Orders(Effects effects) {
			this.effects = effects;
		}

		@Bean
		static SecurityContextHolderStrategy securityContextHolderStrategy() {
			return new OwnHolder();
		}

		@Idempotent
		@PostMapping("/orders")
		Map<String, Object> order(@RequestBody Labelled order) {
			return Map.of("id", this.effects.record(order.label()).getId());
		}

	}

	/**
	 * A holder that shares nothing with those of Spring Security.
	 */
	static class OwnHolder implements SecurityContextHolderStrategy {

		private final ThreadLocal<SecurityContext> contexts = ThreadLocal.withInitial(SecurityContextImpl::new);

		@Override
		public void clearContext() {
			this.contexts.remove();
		}

		@Override
		public SecurityContext getContext() {
			return this.contexts.get();
		}

		@Override
		public void setContext(SecurityContext context) {
			this.contexts.set(context);
		}

		@Override
		public SecurityContext createEmptyContext() {
			return new SecurityContextImpl();
		}

	}

}
