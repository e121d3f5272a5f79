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

import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import com.rabbitmq.client.Channel;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.beans.BeanUtils;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.annotation.AnnotatedElementUtils;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJpaAutoConfiguration;
import dev.idempotency.autoconfigure.messaging.IdempotencyMessagingAutoConfiguration;
import dev.idempotency.autoconfigure.web.IdempotencyWebMvcAutoConfiguration;
import dev.idempotency.store.jpa.IdempotencyRecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

/**
 * The hints of a native image.
 */
class RuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	private void registerImported(Class<?> configuration) {
		ImportRuntimeHints imported = AnnotatedElementUtils.findMergedAnnotation(configuration,
				ImportRuntimeHints.class);
		if (imported != null) {
			Stream.of(imported.value())
				.forEach((type) -> BeanUtils.instantiateClass(type).registerHints(this.hints, null));
		}
	}

	@Test
	void theMigrationsAreInTheImage() {
		registerImported(IdempotencyJdbcAutoConfiguration.class);
		assertThat(resource().forResource("db/idempotency/postgresql/V1__idempotency_record.sql")).accepts(this.hints);
	}

	@Test
	void theEntityIsReachedByHibernate() {
		registerImported(IdempotencyJpaAutoConfiguration.class);
		assertThat(reflection().onType(IdempotencyRecord.class)
			.withMemberCategories(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.ACCESS_DECLARED_FIELDS))
			.accepts(this.hints);
	}

	@Test
	void requestsResponsesAndTheAnnotationAreProxied() {
		registerImported(IdempotencyWebMvcAutoConfiguration.class);
		registerImported(IdempotencyAutoConfiguration.class);
		assertThat(proxies().forInterfaces(HttpServletRequest.class)).accepts(this.hints);
		assertThat(proxies().forInterfaces(HttpServletResponse.class)).accepts(this.hints);
		assertThat(proxies().forInterfaces(Idempotent.class)).accepts(this.hints);
	}

	@Test
	void factoriesOfContainersAndChannelsAreProxied() {
		Stream.of(IdempotencyMessagingAutoConfiguration.class.getDeclaredClasses()).forEach(this::registerImported);
		assertThat(
				proxies().forInterfaces(AopProxyUtils.completeJdkProxyInterfaces(RabbitListenerContainerFactory.class)))
			.accepts(this.hints);
		assertThat(proxies().forInterfaces(Channel.class)).accepts(this.hints);
	}

	@Test
	void whatAServiceTakesAndReturnsIsReadAndWritten() throws NoSuchMethodException {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, Invoices.class);
		assertThat(reflection().onMethodInvocation(Invoices.class.getDeclaredMethod("pay", Command.class)))
			.accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Command.class, "id")).accepts(this.hints);
		assertThat(reflection().onType(Receipt.class).withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
			.accepts(this.hints);
	}

	@Test
	void anAnnotatedClassStandsForItsPublicMethods() {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, AnnotatedInvoices.class);
		assertThat(reflection().onMethodInvocation(Command.class, "id")).accepts(this.hints);
		assertThat(reflection().onType(Secret.class)).rejects(this.hints);
	}

	record Command(String id) {
	}

	record Receipt(String number) {
	}

	record Secret(String text) {
	}

	static class Invoices {

		@Idempotent(key = "#command.id()")
		Receipt pay(Command command) {
			return new Receipt(command.id());
		}

	}

	@Idempotent(key = "#command.id()")
	static class AnnotatedInvoices {

		public Receipt pay(Command command) {
			return new Receipt(command.id());
		}

		Secret hide() {
			return new Secret("");
		}

	}

}
