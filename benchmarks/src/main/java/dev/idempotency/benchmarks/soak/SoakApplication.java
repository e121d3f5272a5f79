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

package dev.idempotency.benchmarks.soak;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;

import dev.idempotency.benchmarks.app.Payments;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.phase.Phases;

/**
 * Handlers whose requests go through a table that is empty most of the time. A request
 * that stages work waits while much of it is undone: the pace is that of the workers.
 */
@Configuration(proxyBeanMethods = false)
class SoakApplication {

	static final String LEASED = "/soak/leased";

	static final String PHASES = "/soak/phases";

	static final String JOBS = "/soak/jobs";

	static final String OUTBOX = "/soak/outbox";

	private static final int UNDONE = 200;

	private static final int ORDERS = 50;

	private static final JobType<Receipt> SEND_RECEIPT = JobType.of("send-receipt", Receipt.class);

	@Bean
	Semaphore undone() {
		return new Semaphore(UNDONE);
	}

	@Bean
	JobHandler<Receipt> sendReceipt(Semaphore undone) {
		return JobHandler.of(SEND_RECEIPT, (receipt) -> undone.release());
	}

	@Bean
	EventSender sender(Semaphore undone) {
		return (event) -> {
			undone.release();
			return CompletableFuture.completedFuture(event);
		};
	}

	record Receipt(UUID payment) {
	}

	@RestController
	static class Handlers {

		private final Payments payments;

		private final StagedJobs jobs;

		private final Outbox outbox;

		private final Semaphore undone;

		Handlers(Payments payments, StagedJobs jobs, Outbox outbox, Semaphore undone) {
			this.payments = payments;
			this.jobs = jobs;
			this.outbox = outbox;
			this.undone = undone;
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping(LEASED)
		@ResponseStatus(HttpStatus.CREATED)
		Receipt leased(@RequestBody Map<String, Object> request) {
			return new Receipt(pay());
		}

		@Idempotent
		@PostMapping(PHASES)
		@ResponseStatus(HttpStatus.CREATED)
		Receipt inPhases(@RequestBody Map<String, Object> request, Phases phases) {
			UUID payment = phases.atomic("paid", UUID.class, () -> pay());
			phases.foreign("charged", String.class, (key) -> key);
			return phases.finish(() -> new Receipt(payment));
		}

		@Transactional
		@PostMapping(JOBS)
		@ResponseStatus(HttpStatus.CREATED)
		public Receipt stageJob(@RequestBody Map<String, Object> request) throws InterruptedException {
			this.undone.acquire();
			Receipt receipt = new Receipt(pay());
			this.jobs.stage(SEND_RECEIPT, receipt);
			return receipt;
		}

		@Transactional
		@PostMapping(OUTBOX)
		@ResponseStatus(HttpStatus.CREATED)
		public Receipt publish(@RequestBody Map<String, Object> request, @RequestHeader("Idempotency-Key") String key)
				throws InterruptedException {
			this.undone.acquire();
			Receipt receipt = new Receipt(pay());
			this.outbox.publish("payments", "order-" + Math.floorMod(key.hashCode(), ORDERS), receipt);
			return receipt;
		}

		private UUID pay() {
			return this.payments.pay(5000, "usd", "tok_visa").getId();
		}

	}

}
