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
package dev.idempotency.autoconfigure;

import java.time.InstantSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.account.Account;
import dev.idempotency.account.AccountResolver;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class CompleterConfigurationTests {

	private static final String WARNING = "unfinished requests wait for a retry of their sender";

	private final WebApplicationContextRunner withoutUsers = TestContexts.web()
		.withBean(UnfinishedStore.class,
				() -> new InMemoryIdempotencyStore("test", InstantSource.system()).unfinished("test"))
		.withUserConfiguration(TestContexts.InUse.class);

	private final WebApplicationContextRunner contextRunner = this.withoutUsers.withBean(UserDetailsService.class,
			InMemoryUserDetailsManager::new);

	@Test
	void runsFromTheStartToTheEndOfTheApplication(CapturedOutput output) {
		IdempotencyCompleter[] completer = new IdempotencyCompleter[1];
		this.contextRunner.run((context) -> {
			completer[0] = context.getBean(IdempotencyCompleter.class);
			assertThat(completer[0].isRunning()).isTrue();
			assertThat(context).hasSingleBean(AccountRunner.class).hasSingleBean(UnfinishedRequests.class);
		});
		assertThat(completer[0].isRunning()).isFalse();
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void isSwitchedOffByItsPropertyWhichLeavesTheOperatorsTheirView(CapturedOutput output) {
		this.withoutUsers.withPropertyValues("idempotency.completer.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyCompleter.class)
				.hasSingleBean(UnfinishedRequests.class));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void leavesTheBeansOfTheApplicationAlone() {
		AccountRunner own = (account, work) -> work.run();
		this.contextRunner.withBean(AccountRunner.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyCompleter.class)
				.getBean(AccountRunner.class)
				.isSameAs(own));
		this.contextRunner.run((context) -> {
			IdempotencyCompleter completer = context.getBean(IdempotencyCompleter.class);
			this.contextRunner.withBean("own", IdempotencyCompleter.class, () -> completer)
				.run((other) -> assertThat(other).getBean(IdempotencyCompleter.class).isSameAs(completer));
		});
	}

	@Test
	void isNotThereWithoutTransactions() {
		new WebApplicationContextRunner().withConfiguration(TestContexts.LIBRARY)
			.withClassLoader(new FilteredClassLoader(PlatformTransactionManager.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyCompleter.class));
	}

	@Test
	void backsOffWithoutAStoreThatKnowsUnfinishedRequests(CapturedOutput output) {
		TestContexts.web()
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyCompleter.class)
				.doesNotHaveBean(UnfinishedRequests.class));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void isNotThereWhereNobodyCanCheckAnAccountAndSaysNothingWhereNothingIsToBeCompleted(CapturedOutput output) {
		this.withoutUsers
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyCompleter.class));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void aNodeMayLeaveTheWorkToOthers() {
		this.contextRunner.withPropertyValues("idempotency.completer.threads=0")
			.run((context) -> assertThat(context).getBean(IdempotencyCompleter.class)
				.satisfies((completer) -> assertThat(completer.isRunning()).isTrue()));
	}

	@Test
	void oneAccountForAllNeedsNoCheck() {
		this.withoutUsers
			.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class, UserDetailsService.class))
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyCompleter.class));
	}

	@Test
	void accountsThatOnlyTheApplicationKnowsAreForItToCheck(CapturedOutput output) {
		this.withoutUsers
			.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class, UserDetailsService.class))
			.withBean(AccountResolver.class, () -> () -> Account.of("someone"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyCompleter.class));
		assertThat(output).doesNotContain(WARNING);
	}

}
