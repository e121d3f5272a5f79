package com.example;

import com.example.PaymentController.PaymentRequest;
import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.EffectProbe;
import dev.idempotency.test.WithIdempotencyKey;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@Import(TestPaymentsApplication.class)
class PaymentTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private EffectProbe numberOfPayments;

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void paymentThatIsSentTwiceIsMadeOnce() {
		this.client.post().uri("/payments").body(new PaymentRequest(5000)).exchange().expectStatus().isCreated();
		assertThat(this.numberOfPayments.count()).isOne();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Effects {

		@Bean
		EffectProbe numberOfPayments(JdbcClient jdbc) {
			return () -> jdbc.sql("select count(*) from payment").query(Long.class).single();
		}

	}

}
