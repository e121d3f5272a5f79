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
import java.util.UUID;
import java.util.stream.Collectors;

import org.springframework.stereotype.Component;
import org.springframework.web.util.HtmlUtils;

/**
 * The page with the form. Every rendering carries a fresh key.
 */
@Component
class OrderPage {

	private static final String PAGE = """
			<!DOCTYPE html>
			<html lang="en">
			<head>
			<meta charset="utf-8">
			<meta name="viewport" content="width=device-width, initial-scale=1">
			<title>Rocket Rides: order</title>
			</head>
			<body>
			<main>
			<h1>Order</h1>
			<p role="status">%s</p>
			<form method="post" action="/orders">
			<input type="hidden" name="_idempotency_key" value="%s">
			<p><label>Item <input name="item" required maxlength="100"></label></p>
			<p><label>Quantity <input name="quantity" type="number" min="1" max="1000" value="1" required></label></p>
			<p><button>Order</button></p>
			</form>
			<h2>Your orders</h2>
			<ul>
			%s
			</ul>
			<p><a href="/">Rocket Rides</a></p>
			</main>
			</body>
			</html>
			""";

	String render(String message, List<OrderView> orders) {
		String items = orders.stream()
			.map((order) -> "<li>%d &times; %s</li>".formatted(order.quantity(), HtmlUtils.htmlEscape(order.item())))
			.collect(Collectors.joining("\n"));
		return PAGE.formatted(HtmlUtils.htmlEscape(message), UUID.randomUUID(), items);
	}

}
