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
package dev.idempotency.sample.payment;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * Payments, always those of one owner.
 */
interface PaymentRepository extends Repository<Payment, UUID> {

	Payment save(Payment payment);

	Optional<Payment> findByIdAndOwner(UUID id, String owner);

	List<Payment> findTop100ByOwnerOrderByCreatedAtDesc(String owner);

	boolean existsByIdAndOwner(UUID id, String owner);

	/**
	 * Checks and changes in one statement: of two concurrent refunds the second waits for
	 * the first and then sees the remaining amount.
	 * @return 1, or 0 if there is no such payment or not as much left of it
	 */
	@Modifying
	@Query("""
			update Payment p set p.refundedCents = p.refundedCents + :amountCents
			where p.id = :id and p.owner = :owner and p.amountCents - p.refundedCents >= :amountCents""")
	int refund(UUID id, String owner, long amountCents);

}
