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
package dev.idempotency.test.check;

import java.sql.Connection;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.engine.RequestTransactions;
import dev.idempotency.test.app.DatabaseTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The check of writes where a test switches it off, and with a class that has no
 * subclass.
 */
@DatabaseTest
@Import({ UnfencedWrites.class, Shipments.class })
@TestPropertySource(properties = "idempotency.test.check-unfenced-writes=false")
class UnfencedWriteCheckTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private DataSource dataSource;

	@Autowired
	private RequestTransactions transactions;

	@Test
	void aWriteOutsideATransactionSucceedsWithoutTheCheck() {
		this.client.post()
			.uri("/update?label=unchecked")
			.header("Idempotency-Key", "unchecked")
			.exchange()
			.expectStatus()
			.isCreated();
		assertThat(AopUtils.isAopProxy(this.dataSource)).isFalse();
	}

	@Test
	void aDataSourceOfAFinalClassIsReachedByItsInterface() throws Exception {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		beans.addBean("transactions", this.transactions);
		UnfencedWriteCheck check = new UnfencedWriteCheck(beans.getBeanProvider(RequestTransactions.class),
				beans.getBeanProvider(BusinessDatabase.class));
		Object proxy = check.postProcessAfterInitialization(new FinalDataSource(this.dataSource), "dataSource");
		assertThat(AopUtils.isJdkDynamicProxy(proxy)).isTrue();
		try (Connection connection = ((DataSource) proxy).getConnection()) {
			assertThat(connection.isValid(0)).isTrue();
		}
	}

	private static final class FinalDataSource extends DelegatingDataSource {

		FinalDataSource(DataSource target) {
			super(target);
		}

	}

}
