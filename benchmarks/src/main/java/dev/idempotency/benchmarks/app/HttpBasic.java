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
package dev.idempotency.benchmarks.app;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Authentication of each request by Spring Security, as most applications with
 * idempotency keys have it, without the cost of a password's digest.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(HttpBasic.PROPERTY)
class HttpBasic {

	static final String PROPERTY = "benchmark.http-basic";

	@Bean
	SecurityFilterChain chain(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.csrf((csrf) -> csrf.disable())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	/**
	 * Users without a service that stores passwords, which would replace a plain one by
	 * its digest at the first request.
	 */
	@Bean
	UserDetailsService users() {
		return (name) -> User.withUsername(name).password("{noop}secret").build();
	}

}
