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
package dev.idempotency.web.endpoint;

import java.util.List;
import org.junit.jupiter.api.Tag;

import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

import dev.idempotency.exception.InvalidIdempotentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("S9")
class OperationNamesTests {

	private static final String CLASS = OperationNamesTests.class.getName() + "$Payments#";

	private static RequestMappingInfo mapping(String header) {
		return RequestMappingInfo.paths("/payments").methods(RequestMethod.POST).headers(header).build();
	}

	private static HandlerMethod handler(String method) throws NoSuchMethodException {
		return new HandlerMethod(new Payments(), Payments.class.getDeclaredMethod(method, String.class));
	}

	@Test
	void aNameIsTheMappingWithItsConditions() throws NoSuchMethodException {
		OperationNames names = new OperationNames();
		names.add(mapping("X-Action=capture"), handler("capture"));
		names.add(mapping("X-Action=refund"), handler("refund"));
		assertThat(names.name(mapping("X-Action=capture"), handler("capture")))
			.isEqualTo("POST /payments [X-Action=capture]");
		assertThat(names.name(mapping("X-Action=refund"), handler("refund")))
			.isEqualTo("POST /payments [X-Action=refund]");
	}

	/**
	 * As with a condition of the application's own.
	 */
	@Test
	void handlersWithOneMappingAreToldApartByTheirMethodsInWhicheverOrderTheyAreFound() throws NoSuchMethodException {
		for (String[] order : new String[][] { { "capture", "refund" }, { "refund", "capture" } }) {
			OperationNames names = new OperationNames();
			for (String method : order) {
				names.add(mapping("X-Action"), handler(method));
			}
			for (String method : order) {
				assertThat(names.name(mapping("X-Action"), handler(method)))
					.isEqualTo("POST /payments [X-Action] " + CLASS + method);
			}
		}
	}

	@Test
	void aHandlerThatIsRegisteredLaterLeavesTheOthersAlone() throws NoSuchMethodException {
		OperationNames names = new OperationNames();
		names.add(mapping("X-Action"), handler("capture"));
		String first = names.name(mapping("X-Action"), handler("capture"));
		assertThat(names.name(mapping("X-Action"), handler("refund"))).isNotEqualTo(first).endsWith(CLASS + "refund");
	}

	@Test
	void methodsOfOneNameWithOneMappingAreRefused() throws NoSuchMethodException {
		OperationNames names = new OperationNames();
		HandlerMethod overload = new HandlerMethod(new Payments(),
				Payments.class.getDeclaredMethod("refund", long.class));
		names.add(mapping("X-Action"), handler("refund"));
		names.add(mapping("X-Action"), overload);
		for (HandlerMethod handler : List.of(handler("refund"), overload)) {
			assertThatExceptionOfType(InvalidIdempotentException.class)
				.isThrownBy(() -> names.name(mapping("X-Action"), handler))
				.withMessageContaining(CLASS + "refund")
				.withMessageContaining("Rename one");
		}
	}

	static class Payments {

		void capture(String id) {
			// Never called.
		}

		void refund(String id) {
			// Never called.
		}

		void refund(long id) {
			// Never called.
		}

	}

}
