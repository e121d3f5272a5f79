package com.example;

import com.example.PurchaseController.PurchaseRequest;
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
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@Import(TestPurchasesApplication.class)
@WithIdempotencyKey
class PurchaseTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private FakeProvider provider;

	@Autowired
	private EffectProbe numberOfPurchases;

	@Test
	@DeliverTwice
	void purchaseThatIsSentTwiceIsChargedOnce() {
		long charges = this.provider.numberOfCharges();
		buy().expectStatus().isCreated();
		assertThat(this.provider.numberOfCharges()).isEqualTo(charges + 1);
	}

	@Test
	void retryAfterALostAnswerOfTheProviderIsNotChargedAgain() {
		long charges = this.provider.numberOfCharges();
		long purchases = this.numberOfPurchases.count();
		this.provider.loseNextAnswer();
		buy().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		buy().expectStatus().isCreated();
		assertThat(this.provider.numberOfCharges()).isEqualTo(charges + 1);
		assertThat(this.numberOfPurchases.count()).isEqualTo(purchases + 1);
	}

	private ResponseSpec buy() {
		return this.client.post().uri("/purchases").body(new PurchaseRequest(5000)).exchange();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Effects {

		@Bean
		EffectProbe numberOfCharges(FakeProvider provider) {
			return provider::numberOfCharges;
		}

		@Bean
		EffectProbe numberOfPurchases(JdbcClient jdbc) {
			return () -> jdbc.sql("select count(*) from purchase").query(Long.class).single();
		}

	}

}
