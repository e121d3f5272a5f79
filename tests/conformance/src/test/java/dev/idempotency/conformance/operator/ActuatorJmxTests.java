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
package dev.idempotency.conformance.operator;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import dev.idempotency.conformance.app.RunningApplication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoints over JMX.
 */
@Tag("Y7")
class ActuatorJmxTests {

	private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

	@Test
	void whatIsExposedOverJmxOnlyShowsUnlessMoreIsAskedFor() throws JMException {
		try (RunningApplication shows = start()) {
			assertThat(operations()).containsExactlyInAnyOrder("summary", "find");
			assertThat(invoke("summary")).containsKeys("records", "stuck");
			assertThat(invoke("find", "open", null)).containsEntry("requests", List.of());
			assertThat(shows.records()).isZero();
		}
		try (RunningApplication acts = start("management.endpoint.idempotency.access=unrestricted")) {
			assertThat(operations()).containsExactlyInAnyOrder("summary", "find", "act", "purge");
			assertThat(invoke("purge", "purge", "nobody", null, null, null)).containsEntry("answers", 0L);
			assertThat(acts.records()).isZero();
		}
	}

	private static RunningApplication start(String... properties) {
		return RunningApplication.start(List.of(Nothing.class),
				Stream
					.concat(Stream.of(properties),
							Stream.of("spring.jmx.enabled=true",
									"management.endpoints.jmx.exposure.include=idempotency"))
					.toArray(String[]::new));
	}

	private static ObjectName name() throws JMException {
		return new ObjectName("org.springframework.boot:type=Endpoint,name=Idempotency");
	}

	private List<String> operations() throws JMException {
		return Stream.of(this.server.getMBeanInfo(name()).getOperations()).map(MBeanOperationInfo::getName).toList();
	}

	@SuppressWarnings("unchecked")
	private Map<String, Object> invoke(String operation, Object... arguments) throws JMException {
		String[] signature = Stream.generate(String.class::getName).limit(arguments.length).toArray(String[]::new);
		return (Map<String, Object>) this.server.invoke(name(), operation, arguments, signature);
	}

	@Configuration(proxyBeanMethods = false)
	static class Nothing {

	}

}
