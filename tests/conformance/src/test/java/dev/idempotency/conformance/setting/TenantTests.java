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

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.Leftovers;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tenants of Hibernate with a schema each, and one table of records for all.
 */
@Tag("postgresql")
@Tag("jpa")
class TenantTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		TestDatabase database = MigratedDatabase.create();
		for (String tenant : List.of("red", "blue")) {
			database.execute("create schema " + tenant + "; create table " + tenant + ".effect (like public.effect)");
		}
		application = RunningApplication.start(database, List.of(ConfiguredPayments.class, Tenants.class),
				"idempotency.schema.name=public", "idempotency.job.polling-interval=100ms");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/transactional", "/leased", "/leased-transactional", "/phased", "/refused", "/service" })
	@Tag("S2")
	void theSameKeyOfOneNameInTwoTenantsIsTwoRequests(String path) {
		HttpResponse<byte[]> red = post("red", path);
		HttpResponse<byte[]> blue = post("blue", path);
		int status = path.equals("/refused") ? 404 : 201;
		assertOriginal(red, status);
		assertOriginal(blue, status);
		if (path.equals("/service")) {
			assertThat(post("red", path).body()).isEqualTo(red.body()).isNotEqualTo(blue.body());
			assertThat(post("blue", path).body()).isEqualTo(blue.body());
		}
		else {
			assertReplay(post("red", path), red);
			assertReplay(post("blue", path), blue);
		}
		long effects = path.equals("/refused") ? 0 : 1;
		assertThat(effects("red", path)).isEqualTo(effects);
		assertThat(effects("blue", path)).isEqualTo(effects);
		assertThat(effects("public", path)).isZero();
		Leftovers.assertNone(application);
	}

	@Test
	void theTenantWithoutARequestIsThatOfTheResolver() {
		Promises.assertKept(application);
	}

	private static HttpResponse<byte[]> post(String tenant, String path) {
		return application.send(application.json(ALICE, path, Labelled.json(path))
			.header("Idempotency-Key", path)
			.header("X-Tenant", tenant));
	}

	private static long effects(String tenant, String label) {
		Long count = application.jdbc()
			.queryForObject("select count(*) from " + tenant + ".effect where label = ?", Long.class, label);
		return (count != null) ? count : -1;
	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		HibernatePropertiesCustomizer tenants(DataSource dataSource) {
			return (properties) -> properties
				.putAll(Map.of(MultiTenancySettings.MULTI_TENANT_CONNECTION_PROVIDER, new SchemaTenants(dataSource),
						MultiTenancySettings.MULTI_TENANT_IDENTIFIER_RESOLVER, new TenantOfRequest()));
		}

	}

	private static final class TenantOfRequest implements CurrentTenantIdentifierResolver<String> {

		@Override
		public String resolveCurrentTenantIdentifier() {
			String tenant = (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? attributes.getRequest().getHeader("X-Tenant") : null;
			return (tenant != null) ? tenant : "public";
		}

		@Override
		public boolean validateExistingCurrentSessions() {
			return false;
		}

	}

}
