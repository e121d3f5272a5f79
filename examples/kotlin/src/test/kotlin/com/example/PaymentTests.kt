package com.example

import dev.idempotency.test.DeliverTwice
import dev.idempotency.test.EffectProbe
import dev.idempotency.test.WithIdempotencyKey
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment
import org.springframework.boot.test.context.TestConfiguration
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Import
import org.springframework.test.web.servlet.client.RestTestClient

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@Import(TestPaymentsApplication::class)
class PaymentTests(@Autowired val client: RestTestClient, @Autowired val payments: PaymentRepository) {

    @Test
    @DeliverTwice
    @WithIdempotencyKey
    fun `payment that is sent twice is made once`() {
        client.post().uri("/payments").body(PaymentRequest(amountCents = 5000)).exchange().expectStatus().isCreated
        assertThat(payments.count()).isOne()
    }

    @TestConfiguration(proxyBeanMethods = false)
    class Effects {

        @Bean
        fun numberOfPayments(payments: PaymentRepository) = EffectProbe { payments.count() }

    }

}
