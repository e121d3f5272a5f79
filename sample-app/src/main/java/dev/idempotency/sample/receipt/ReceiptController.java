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

import java.security.Principal;
import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Endpoint of the receipts sent by staged jobs.
 */
@RestController
@RequestMapping("/receipts")
class ReceiptController {

	private final ReceiptRepository receipts;

	ReceiptController(ReceiptRepository receipts) {
		this.receipts = receipts;
	}

	@GetMapping
	List<ReceiptView> findAll(Principal caller) {
		return this.receipts.findTop100ByOwnerOrderBySentAtDesc(caller.getName())
			.stream()
			.map(SentReceipt::toView)
			.toList();
	}

}
