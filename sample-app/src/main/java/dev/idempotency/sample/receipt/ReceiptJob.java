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
package dev.idempotency.sample.receipt;

import org.springframework.stereotype.Component;

import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;

/**
 * Sends receipts, here by storing them. However often the job is delivered, that happens
 * once.
 */
@Component
public class ReceiptJob implements JobHandler<Receipt> {

	/**
	 * The type under which receipts are staged.
	 */
	public static final JobType<Receipt> TYPE = JobType.of("send-receipt", Receipt.class);

	private final ReceiptRepository receipts;

	ReceiptJob(ReceiptRepository receipts) {
		this.receipts = receipts;
	}

	@Override
	public JobType<Receipt> type() {
		return TYPE;
	}

	@Override
	public void handle(Receipt receipt) {
		this.receipts.save(new SentReceipt(receipt));
	}

}
