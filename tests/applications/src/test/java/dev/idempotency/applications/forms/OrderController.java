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
package dev.idempotency.applications.forms;

import dev.idempotency.Idempotent;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jakarta.validation.Valid;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/**
 * A form as it is written everywhere: errors show it again, success redirects.
 */
@Controller
class OrderController {

	private final Orders orders;

	OrderController(Orders orders) {
		this.orders = orders;
	}

	@GetMapping("/orders/new")
	String form(@ModelAttribute("order") OrderForm order) {
		return "orders/form";
	}

	@Idempotent
	@PostMapping("/orders/new")
	String place(@Valid @ModelAttribute("order") OrderForm order, BindingResult binding, RedirectAttributes redirect) {
		this.orders.place(String.valueOf(order.getItem()));
		if (binding.hasErrors()) {
			return "orders/form";
		}
		redirect.addFlashAttribute("message", "Thank you for " + order.getItem());
		return "redirect:/orders";
	}

	/**
	 * Answers with a page, where a redirect would be better.
	 */
	@Idempotent
	@PostMapping("/orders/here")
	String placeHere(@ModelAttribute("order") OrderForm order, Model model) {
		this.orders.place(String.valueOf(order.getItem()));
		return list(model);
	}

	@PostMapping("/orders/search")
	String search(Model model) {
		return list(model);
	}

	@GetMapping("/orders")
	String list(Model model) {
		model.addAttribute("items", this.orders.items());
		return "orders/list";
	}

	/**
	 * For a caller without cookies, as on the first visit.
	 */
	@Idempotent
	@PostMapping("/open/redirects/{item}")
	String redirect(@PathVariable String item, HttpSession session) {
		session.setAttribute("seen", true);
		this.orders.place(item);
		return "redirect:/open/seen/" + item;
	}

	@Idempotent
	@PostMapping("/open/links/{item}")
	@ResponseBody
	String link(@PathVariable String item, HttpSession session, HttpServletResponse response) {
		session.setAttribute("seen", true);
		this.orders.place(item);
		response.setHeader("Location", "/open/seen;jsessionid=" + session.getId() + "?item=" + item);
		return response.encodeURL("/open/seen/" + item);
	}

}
