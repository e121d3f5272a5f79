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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import dev.idempotency.store.jpa.IdempotencyRecord;
import dev.idempotency.store.jpa.IdempotencyRecordRepository;
import dev.idempotency.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice test of an application: the entity and the table are there.
 */
@Tag("O7")
@DataJpaTest
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
class DataJpaSliceTests {

	@Autowired
	private TestEntityManager entityManager;

	@Autowired
	private IdempotencyRecordRepository records;

	@DynamicPropertySource
	static void database(DynamicPropertyRegistry registry) {
		TestDatabase database = TestDatabase.create();
		registry.add("spring.datasource.url", database::jdbcUrl);
		registry.add("spring.datasource.username", database::username);
		registry.add("spring.datasource.password", database::password);
		registry.add("spring.jpa.hibernate.ddl-auto", () -> "validate");
	}

	@Test
	void seesTheEntityAndTheTable() {
		assertThat(this.entityManager.getEntityManager()
			.createQuery("select r from IdempotencyRecord r", IdempotencyRecord.class)
			.getResultList()).isEmpty();
		assertThat(this.records.count()).isZero();
	}

	@SpringBootConfiguration
	@AutoConfigurationPackage
	static class Application {

	}

}
