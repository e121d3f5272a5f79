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

import java.net.URI;
import java.security.Principal;
import java.util.UUID;

import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Scope;

/**
 * The same orders from an HTML form. A form cannot send a header, so its key is in a
 * hidden field: however often Submit is pressed, one order is created.
 */
@Controller
@RequestMapping("/orders")
class OrderFormController {

	private final OrderService orders;

	private final OrderPage page;

	OrderFormController(OrderService orders, OrderPage page) {
		this.orders = orders;
		this.page = page;
	}

	@GetMapping("/form")
	ResponseEntity<String> form(Principal caller, @RequestParam(required = false) @Nullable UUID made) {
		String message = (made != null) ? "Thank you. Your order is number " + made + "." : "";
		return html(HttpStatus.OK, message, caller);
	}

	/**
	 * The redirect after the POST is the stored answer, so a second click ends on the
	 * page of the first order.
	 */
	@Idempotent(scope = Scope.ENDPOINT)
	@PostMapping(consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
	ResponseEntity<Void> order(Principal caller, @ModelAttribute @Valid OrderRequest request) {
		OrderView order = this.orders.order(caller.getName(), request);
		return ResponseEntity.status(HttpStatus.SEE_OTHER)
			.location(URI.create("/orders/form?made=" + order.id()))
			.build();
	}

	@ExceptionHandler
	ResponseEntity<String> invalid(MethodArgumentNotValidException ex, Principal caller) {
		return html(HttpStatus.BAD_REQUEST, "Please fill in an item and a quantity from 1 to 1000.", caller);
	}

	private ResponseEntity<String> html(HttpStatus status, String message, Principal caller) {
		return ResponseEntity.status(status)
			.contentType(MediaType.valueOf("text/html;charset=UTF-8"))
			.body(this.page.render(message, this.orders.findAll(caller.getName())));
	}

}
