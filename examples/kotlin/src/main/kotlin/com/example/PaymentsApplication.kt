package com.example

import dev.idempotency.Idempotent
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.data.annotation.Id
import org.springframework.data.repository.CrudRepository
import org.springframework.http.HttpStatus
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.ResponseStatus
import org.springframework.web.bind.annotation.RestController

@SpringBootApplication
class PaymentsApplication

fun main(args: Array<String>) {
    runApplication<PaymentsApplication>(*args)
}

@RestController
class PaymentController(private val payments: PaymentRepository) {

    @Idempotent
    @PostMapping("/payments")
    @ResponseStatus(HttpStatus.CREATED)
    fun pay(@RequestBody request: PaymentRequest): Payment =
        payments.save(Payment(amountCents = request.amountCents))

}

interface PaymentRepository : CrudRepository<Payment, Long>

data class Payment(@Id val id: Long? = null, val amountCents: Int)

data class PaymentRequest(val amountCents: Int)
