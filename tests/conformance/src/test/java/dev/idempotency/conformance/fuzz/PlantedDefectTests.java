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

package dev.idempotency.conformance.fuzz;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.conformance.fuzz.Violation.Kind;
import dev.idempotency.web.fingerprint.FingerprintStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The oracle finds what it is there to find.
 */
@Tag("postgresql")
class PlantedDefectTests {

	/**
	 * Time limit; leftovers stay, regardless of the waiting time.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static @Nullable FuzzServer server;

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
			server = null;
		}
	}

	private static FuzzServer server() {
		if (server == null) {
			server = FuzzServer.start(FuzzSetting.DEFAULT, Planting.class);
		}
		return server;
	}

	@AfterEach
	void removePlants() throws SQLException {
		if (server != null) {
			server.bean(PlantedDefects.class).removeAll();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aPlantedDefectIsFound(Plant plant) {
		List<Violation> before = CaseRunner.run(server(), plant.shownBy(), Duration.ofMinutes(1));
		assertThat(before).as("without it").isEmpty();
		server().bean(PlantedDefects.class).plant(plant);
		List<Violation> found = CaseRunner.run(server(), plant.shownBy(), PATIENCE);
		assertThat(found).extracting(Violation::kind).contains(plant.kind());
		if (plant.isLasting()) {
			stop();
		}
	}

	@Test
	void aFingerprintThatIsAlwaysTheSameIsFound() {
		try (FuzzServer forgetful = FuzzServer.start(FuzzSetting.DEFAULT, ConstantFingerprint.class)) {
			List<Violation> found = CaseRunner.run(forgetful,
					FuzzCase.parse(Plant.Cases.PLAIN.replace("ENTITY", Shape.PICKED_BY_HEADER.name())), PATIENCE);
			assertThat(found).extracting(Violation::kind).contains(Kind.MISMATCH);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Planting {

		@Bean
		static PlantedDefects plantedDefects(ObjectProvider<DataSource> dataSource) {
			return new PlantedDefects(dataSource);
		}

		@Bean
		FilterRegistrationBean<PlantedWire> plantedWire(PlantedDefects defects,
				@Lazy PlatformTransactionManager transactionManager) {
			FilterRegistrationBean<PlantedWire> registration = new FilterRegistrationBean<>(
					new PlantedWire(defects, transactionManager));
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ConstantFingerprint {

		@Bean
		FingerprintStrategy constantFingerprint() {
			return (FingerprintStrategy) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { FingerprintStrategy.class },
					(proxy, method, arguments) -> switch (method.getName()) {
						case "equals" -> proxy == arguments[0];
						case "hashCode" -> 1;
						case "toString" -> "constant";
						default -> new byte[] { 1 };
					});
		}

	}

}
