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
package dev.idempotency.conformance.request;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;
import jakarta.servlet.Filter;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Tells the handler what the thread had allocated when the request came.
 */
@Configuration(proxyBeanMethods = false)
class Allocations {

	@Bean
	@Order(Integer.MIN_VALUE)
	Filter allocationFilter() {
		return (request, response, chain) -> {
			request.setAttribute("allocated", allocated());
			chain.doFilter(request, response);
		};
	}

	static long allocated() {
		return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
	}

}
