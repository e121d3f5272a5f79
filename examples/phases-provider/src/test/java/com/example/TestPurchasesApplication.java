package com.example;

import java.io.IOException;

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
import org.springframework.test.context.DynamicPropertyRegistrar;

/**
 * The application with a payment provider, and with a PostgreSQL in a container or, where
 * no Docker engine runs, an H2 in memory.
 */
@TestConfiguration(proxyBeanMethods = false)
class TestPurchasesApplication {

	public static void main(String[] args) {
		SpringApplication.from(PurchasesApplication::main)
			.with(TestPurchasesApplication.class)
			.run("--spring.docker.compose.enabled=false");
	}

	@Bean
	@ServiceConnection
	@Conditional(DockerEngineCondition.class)
	PostgreSQLContainer postgres() {
		return new PostgreSQLContainer("postgres:18");
	}

	@Bean
	FakeProvider provider() throws IOException {
		return new FakeProvider();
	}

	@Bean
	DynamicPropertyRegistrar providerUrl(FakeProvider provider) {
		return (registry) -> registry.add("payment-provider.url", provider::url);
	}

	static class DockerEngineCondition implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return DockerClientFactory.instance().isDockerAvailable();
		}

	}

}
