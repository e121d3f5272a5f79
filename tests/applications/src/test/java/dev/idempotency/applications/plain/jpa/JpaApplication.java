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
package dev.idempotency.applications.plain.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with an entity, a repository and a controller.
 */
@SpringBootApplication
@EnableJpaRepositories(considerNestedRepositories = true)
public class JpaApplication {

	@RestController
	static class Payments {

		private final PaymentRepository payments;

		Payments(PaymentRepository payments) {
			this.payments = payments;
		}

		@PostMapping("/payments")
		long create(@RequestParam String text) {
			Payment payment = new Payment();
			payment.text = text;
			return this.payments.save(payment).hashCode();
		}

	}

	@Entity(name = "payment")
	static class Payment {

		@Id
		@GeneratedValue(strategy = GenerationType.IDENTITY)
		@Nullable Long id;

		@Nullable String text;

	}

	interface PaymentRepository extends JpaRepository<Payment, Long> {

	}

}
