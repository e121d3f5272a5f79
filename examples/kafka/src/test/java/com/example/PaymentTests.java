package com.example;

import java.util.UUID;

import com.example.PaymentController.PaymentRequest;
import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.EffectProbe;
import dev.idempotency.test.WithIdempotencyKey;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@Import(TestPaymentsApplication.class)
@DirtiesContext // stops the application before the embedded servers, which otherwise end with the JVM
class PaymentTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private KafkaTemplate<String, String> kafka;

	@Autowired
	private JdbcClient jdbc;

	@Test
	@DeliverTwice
	@WithIdempotencyKey
	void paymentThatIsSentTwiceIsMadeAndEnteredOnce() {
		PaymentMade payment = this.client.post()
			.uri("/payments")
			.body(new PaymentRequest(5000))
			.exchange()
			.expectStatus()
			.isCreated()
			.returnResult(PaymentMade.class)
			.getResponseBody();
		awaitEntry(payment.paymentId());
	}

	@Test
	void messageThatArrivesTwiceIsEnteredOnce() {
		UUID first = UUID.randomUUID();
		UUID second = UUID.randomUUID();
		send(first);
		send(first);
		send(second);
		awaitEntry(second);
		assertThat(countEntries(first)).isOne();
	}

	private void send(UUID payment) {
		ProducerRecord<String, String> message = new ProducerRecord<>("payments", "in this order",
				"{\"paymentId\":\"%s\",\"amountCents\":5000}".formatted(payment));
		message.headers().add("message-id", payment.toString().getBytes());
		this.kafka.send(message).join();
	}

	private void awaitEntry(UUID payment) {
		Awaitility.await().until(() -> countEntries(payment) == 1);
	}

	private long countEntries(UUID payment) {
		return this.jdbc.sql("select count(*) from ledger_entry where payment_id = ?")
			.param(payment)
			.query(Long.class)
			.single();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Effects {

		@Bean
		EffectProbe numberOfPayments(JdbcClient jdbc) {
			return () -> jdbc.sql("select count(*) from payment").query(Long.class).single();
		}

	}

}
