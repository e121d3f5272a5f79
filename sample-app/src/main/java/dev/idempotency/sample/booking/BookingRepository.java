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
package dev.idempotency.sample.booking;

import java.util.Optional;
import java.util.UUID;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * Bookings, always those of one owner.
 */
interface BookingRepository extends Repository<Booking, UUID> {

	/**
	 * Inserts a booking. The conflict is handled in SQL rather than caught: a unique
	 * violation would have aborted the transaction.
	 * @return 1, or 0 if the reference is taken
	 */
	@Modifying
	@Query(value = """
			insert into booking (id, owner, reference, seats) values (gen_random_uuid(), :owner, :reference, :seats)
			on conflict (owner, reference) do nothing""", nativeQuery = true)
	int insert(String owner, String reference, int seats);

	Optional<Booking> findByOwnerAndReference(String owner, String reference);

}
