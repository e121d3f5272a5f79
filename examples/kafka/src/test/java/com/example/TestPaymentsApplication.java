package com.example;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.test.context.DynamicPropertyRegistrar;

/**
 * The application with PostgreSQL and Kafka in containers or, where no Docker engine
 * runs, embedded.
 */
@TestConfiguration(proxyBeanMethods = false)
class TestPaymentsApplication {

	public static void main(String[] args) {
		SpringApplication.from(PaymentsApplication::main)
			.with(TestPaymentsApplication.class)
			.run("--spring.docker.compose.enabled=false");
	}

	@TestConfiguration(proxyBeanMethods = false)
	@Conditional(DockerEngineCondition.class)
	static class InContainers {

		@Bean
		@ServiceConnection
		PostgreSQLContainer postgres() {
			return new PostgreSQLContainer("postgres:18");
		}

		@Bean
		@ServiceConnection
		KafkaContainer kafka() {
			return new KafkaContainer("apache/kafka-native:4.1.0");
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	@Conditional(NoDockerEngineCondition.class)
	static class Embedded {

		@Bean
		EmbeddedPostgres postgres() throws IOException {
			return EmbeddedPostgres.start();
		}

		@Bean
		EmbeddedKafkaKraftBroker kafka() {
			return new EmbeddedKafkaKraftBroker(1, 1);
		}

		@Bean
		DynamicPropertyRegistrar addresses(EmbeddedPostgres postgres, EmbeddedKafkaKraftBroker kafka) {
			return (registry) -> {
				registry.add("spring.datasource.url", () -> postgres.getJdbcUrl("postgres", "postgres"));
				registry.add("spring.kafka.bootstrap-servers", kafka::getBrokersAsString);
			};
		}

	}

	static class DockerEngineCondition implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return DockerClientFactory.instance().isDockerAvailable();
		}

	}

	static class NoDockerEngineCondition extends DockerEngineCondition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !super.matches(context, metadata);
		}

	}

}
