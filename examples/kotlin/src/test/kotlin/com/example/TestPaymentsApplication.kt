package com.example

import org.springframework.boot.fromApplication
import org.springframework.boot.test.context.TestConfiguration
import org.springframework.boot.testcontainers.service.connection.ServiceConnection
import org.springframework.boot.with
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Condition
import org.springframework.context.annotation.ConditionContext
import org.springframework.context.annotation.Conditional
import org.springframework.core.type.AnnotatedTypeMetadata
import org.testcontainers.DockerClientFactory
import org.testcontainers.postgresql.PostgreSQLContainer

/**
 * The application with a PostgreSQL in a container or, where no Docker engine runs, an H2
 * in memory.
 */
@TestConfiguration(proxyBeanMethods = false)
class TestPaymentsApplication {

    @Bean
    @ServiceConnection
    @Conditional(DockerEngineCondition::class)
    fun postgres() = PostgreSQLContainer("postgres:18")

    class DockerEngineCondition : Condition {

        override fun matches(context: ConditionContext, metadata: AnnotatedTypeMetadata) =
            DockerClientFactory.instance().isDockerAvailable

    }

}

fun main() {
    fromApplication<PaymentsApplication>()
        .with(TestPaymentsApplication::class)
        .run("--spring.docker.compose.enabled=false")
}
