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
package dev.idempotency.sample.order;

import java.util.List;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes orders.
 */
@Service
class OrderService {

	private final OrderRepository orders;

	OrderService(OrderRepository orders) {
		this.orders = orders;
	}

	@Transactional
	OrderView order(String owner, OrderRequest request) {
		return this.orders.save(new PurchaseOrder(owner, request.item(), request.quantity())).toView();
	}

	@Transactional(readOnly = true)
	List<OrderView> findAll(String owner) {
		return this.orders.findTop100ByOwnerOrderByCreatedAtDesc(owner).stream().map(PurchaseOrder::toView).toList();
	}

}
