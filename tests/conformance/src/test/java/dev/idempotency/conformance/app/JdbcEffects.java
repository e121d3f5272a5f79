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
package dev.idempotency.conformance.app;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Effects by plain statements, in an application that has no JPA on its class path: see
 * the profile {@code jdbc}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingClass("jakarta.persistence.EntityManager")
public class JdbcEffects {

	@Bean
	Effects effects(JdbcClient jdbc, PlatformTransactionManager transactionManager) {
		// The pool may be one without auto-commit.
		new TransactionTemplate(transactionManager).executeWithoutResult((status) -> jdbc
			.sql("create table if not exists effect (id varchar(36) primary key, label varchar(255))")
			.update());
		return new Effects((effect) -> jdbc.sql("insert into effect (id, label) values (?, ?)")
			.params(effect.getId().toString(), effect.getLabel())
			.update(), () -> {
			});
	}

}
