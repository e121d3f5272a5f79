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

import dev.idempotency.test.DeliverTwice;
import dev.idempotency.test.WithIdempotencyKey;
import dev.idempotency.test.WithIdempotencyKey.Per;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.security.test.context.support.WithMockUser;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;

import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.csrf;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.flash;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.model;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.view;

/**
 * The controller's tests as they were before it was annotated, with every request
 * delivered twice.
 */
@WebMvcTest(OrderController.class)
@WithMockUser
@DeliverTwice
@WithIdempotencyKey(per = Per.REQUEST)
class OrderControllerTests {

	@Autowired
	private MockMvc mvc;

	@MockitoBean
	private Orders orders;

	@Test
	void anOrderRedirectsToTheList() throws Exception {
		this.mvc.perform(post("/orders/new").param("item", "book").with(csrf()))
			.andExpect(status().is3xxRedirection())
			.andExpect(view().name("redirect:/orders"))
			.andExpect(redirectedUrl("/orders"))
			.andExpect(flash().attribute("message", "Thank you for book"));
	}

	@Test
	void anOrderWithErrorsShowsTheFormAgain() throws Exception {
		this.mvc.perform(post("/orders/new").param("item", " ").with(csrf()))
			.andExpect(status().isOk())
			.andExpect(view().name("orders/form"))
			.andExpect(model().attributeHasFieldErrors("order", "item"));
	}

}
