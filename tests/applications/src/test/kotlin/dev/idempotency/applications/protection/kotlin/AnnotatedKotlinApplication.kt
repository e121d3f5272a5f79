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
package dev.idempotency.applications.protection.kotlin

import dev.idempotency.Idempotent
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.http.HttpStatus
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.ResponseStatus
import org.springframework.web.bind.annotation.RestController
import java.util.UUID

/**
 * An application in Kotlin that has annotated an endpoint and a service.
 */
@SpringBootApplication
class AnnotatedKotlinApplication {

	data class Command(val id: String, val text: String, val note: String? = null)

	data class Receipt(val number: UUID, val text: String, val note: String?)

	@Service
	class Ledger {

		@Idempotent(key = "#command.id")
		fun book(command: Command): Receipt = Receipt(UUID.randomUUID(), command.text, command.note)

	}

	@RestController
	class Payments(private val ledger: Ledger) {

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		fun pay(@RequestBody command: Command): Receipt = Receipt(UUID.randomUUID(), command.text, command.note)

		@PostMapping("/bookings")
		fun book(@RequestBody command: Command): Receipt = ledger.book(command)

	}

}
