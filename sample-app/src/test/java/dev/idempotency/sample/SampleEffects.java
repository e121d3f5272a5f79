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
package dev.idempotency.sample;

import dev.idempotency.test.EffectProbe;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The effects that a second delivery must not have.
 */
@TestConfiguration(proxyBeanMethods = false)
class SampleEffects {

	@Bean
	EffectProbe payments(JdbcTemplate jdbc) {
		return () -> count(jdbc, "payment");
	}

	@Bean
	EffectProbe refunds(JdbcTemplate jdbc) {
		return () -> count(jdbc, "refund");
	}

	@Bean
	EffectProbe orders(JdbcTemplate jdbc) {
		return () -> count(jdbc, "purchase_order");
	}

	@Bean
	EffectProbe quotes(JdbcTemplate jdbc) {
		return () -> count(jdbc, "quote");
	}

	private static long count(JdbcTemplate jdbc, String table) {
		Long count = jdbc.queryForObject("select count(*) from " + table, Long.class);
		return (count != null) ? count : -1;
	}

}
