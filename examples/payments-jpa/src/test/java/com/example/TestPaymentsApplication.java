package com.example;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The application with a PostgreSQL in a container or, where no Docker engine runs, an H2
 * in memory.
 */
@TestConfiguration(proxyBeanMethods = false)
class TestPaymentsApplication {

	public static void main(String[] args) {
		SpringApplication.from(PaymentsApplication::main)
			.with(TestPaymentsApplication.class)
			.run("--spring.docker.compose.enabled=false");
	}

	@Bean
	@ServiceConnection
	@Conditional(DockerEngineCondition.class)
	PostgreSQLContainer postgres() {
		return new PostgreSQLContainer("postgres:18");
	}

	static class DockerEngineCondition implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return DockerClientFactory.instance().isDockerAvailable();
		}

	}

}
