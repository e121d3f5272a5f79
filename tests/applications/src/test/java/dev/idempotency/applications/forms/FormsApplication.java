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

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The application.
 */
@SpringBootApplication
class FormsApplication {

	/**
	 * Users with sessions. Under {@code /open} everybody may do everything.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.httpBasic(withDefaults())
				.sessionManagement((session) -> session.enableSessionUrlRewriting(true))
				.csrf((csrf) -> csrf.ignoringRequestMatchers("/open/**"))
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/open/**").permitAll().anyRequest().authenticated())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("alice").password("{noop}alice").build())::loadUserByUsername;
		}

	}

}
