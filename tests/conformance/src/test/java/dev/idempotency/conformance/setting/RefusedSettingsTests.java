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
package dev.idempotency.conformance.setting;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Settings under which no transaction would be rolled back: the application does not
 * start.
 */
@Tag("postgresql")
@Tag("jpa")
class RefusedSettingsTests {

	@ParameterizedTest
	@CsvSource({
			"hibernate.connection.handling_mode=DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT,RELEASE_AFTER_TRANSACTION",
			"hibernate.connection.handling_mode=DELAYED_ACQUISITION_AND_RELEASE_BEFORE_TRANSACTION_COMPLETION,RELEASE_AFTER_TRANSACTION",
			"hibernate.connection.provider_disables_autocommit=true,spring.datasource.hikari.auto-commit=false" })
	@Tag("X1")
	void transactionsThatAreNoneAreRefused(String setting, String remedy) {
		assertThatThrownBy(() -> RunningApplication.start(ConfiguredPayments.class, "spring.jpa.properties." + setting))
			.isInstanceOf(InvalidIdempotentException.class)
			.hasMessageContaining(setting.substring(0, setting.indexOf('=')))
			.hasMessageContaining(remedy);
	}

	@Test
	@Tag("X36")
	void aTransactionManagerWithoutSynchronizationIsRefused() {
		assertThatThrownBy(() -> RunningApplication.start(List.of(ConfiguredPayments.class, Unsynchronized.class)))
			.rootCause()
			.isInstanceOf(InvalidIdempotentException.class)
			.hasMessageContaining("SYNCHRONIZATION_NEVER");
	}

	@Configuration(proxyBeanMethods = false)
	static class Unsynchronized {

		@Bean
		TransactionManagerCustomizer<AbstractPlatformTransactionManager> unsynchronized() {
			return (manager) -> manager
				.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		}

	}

}
