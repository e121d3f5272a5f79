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
package dev.idempotency.conformance.app;

import java.util.Map;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The common part of all variants of the application: users alice and bob, HTTP Basic,
 * and {@link Effects}. Method security is switched on where something is annotated: it
 * looks at each method of each bean, which takes a tenth of a start. Everything under
 * {@code /open} is for anybody.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ JpaEffects.class, JdbcEffects.class })
public class BaseApplication {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable())
			.httpBasic(withDefaults())
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/open/**", "/error")
				.permitAll()
				.anyRequest()
				.authenticated())
			.build();
	}

	/**
	 * Spring Security would replace each password by its BCrypt hash at its first use,
	 * and most of the time of a test would be that of its hashes.
	 */
	@Bean
	PasswordEncoder passwordEncoder() {
		return new DelegatingPasswordEncoder("noop", Map.of("noop", new PlainPasswords()));
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(
				User.withUsername("alice").password("{noop}alice").roles("USER", "PAYER").build(),
				User.withUsername("bob").password("{noop}bob").roles("USER").build());
	}

	private static final class PlainPasswords implements PasswordEncoder {

		@Override
		public String encode(CharSequence rawPassword) {
			return rawPassword.toString();
		}

		@Override
		public boolean matches(CharSequence rawPassword, String encodedPassword) {
			return rawPassword.toString().equals(encodedPassword);
		}

	}

}
