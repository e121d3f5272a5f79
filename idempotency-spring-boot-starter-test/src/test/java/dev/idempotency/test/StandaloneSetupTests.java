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
package dev.idempotency.test;

import dev.idempotency.exception.InvalidIdempotentException;
import dev.idempotency.test.app.Orders;
import dev.idempotency.test.app.Probes;
import dev.idempotency.test.app.ShopApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An annotated controller of the application in MockMvc's {@code standaloneSetup}, which
 * calls it without the interceptors and handler adapters of the application.
 */
@WebMvcTest
@ContextConfiguration(classes = ShopApplication.class)
@Import(Probes.class)
@ExtendWith(OutputCaptureExtension.class)
class StandaloneSetupTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	private Orders orders;

	private MockMvcTester mvc;

	private long shipped;

	@BeforeEach
	void setUp() {
		this.mvc = MockMvcTester.create(MockMvcBuilders.standaloneSetup(controller()).build());
		this.shipped = this.orders.countShipped();
	}

	@AfterEach
	void nothingRunsWithAKey() {
		assertThat(this.orders.countShipped()).isEqualTo(this.shipped);
	}

	private Object controller() {
		return this.context.getBean("orderController");
	}

	private MvcTestResult post(String uri, String body) {
		return this.mvc.post().uri(uri).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	@Test
	void aRequestWithoutAnOptionalKeyRunsAsBefore() {
		assertThat(post("/orders/optional", "{}")).hasStatusOk();
		assertThat(post("/orders/referenced", "{}")).hasStatusOk();
		this.shipped += 2;
	}

	@Test
	void aRequestWithoutARequiredKeyIsRefused() {
		assertRefused(post("/orders", "{}"), "#create");
	}

	@Test
	void aRequestWithAKeyIsRefused() {
		assertRefused(this.mvc.post().uri("/orders/optional").header("Idempotency-Key", "standalone").exchange(),
				"#createWithOptionalKey");
	}

	@Test
	void aRequestWithAKeyInItsArgumentsIsRefused() {
		assertRefused(post("/orders/referenced", "{\"reference\":\"standalone\"}"), "#createWithReference");
	}

	@Test
	void aRequestWithAKeyInAFormIsRefused() {
		assertRefused(this.mvc.post()
			.uri("/orders/optional")
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.formField("_idempotency_key", "standalone")
			.exchange(), "#createWithOptionalKey");
	}

	@Test
	void theLogSaysWhatToWriteWhenTheApplicationAnswersTheFailure(CapturedOutput output) {
		this.mvc = MockMvcTester
			.create(MockMvcBuilders.standaloneSetup(controller()).setControllerAdvice(new EveryFailure()).build());
		assertThat(post("/orders", "{}")).hasStatus(500);
		assertThat(output.getOut()).contains("[IDEM-1311]", "webAppContextSetup");
	}

	private static void assertRefused(MvcTestResult result, String method) {
		assertThat(result).failure()
			.rootCause()
			.isInstanceOf(InvalidIdempotentException.class)
			.hasMessageContainingAll("OrderController" + method, "standaloneSetup", "webAppContextSetup");
	}

	@RestControllerAdvice
	static class EveryFailure {

		@ExceptionHandler(Exception.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		String answer() {
			return "An unexpected error";
		}

	}

}
