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
package dev.idempotency.sample.web;

import jakarta.servlet.DispatcherType;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.writers.ContentSecurityPolicyHeaderWriter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

import static org.springframework.security.config.Customizer.withDefaults;

/**
 * HTTP Basic, no sessions.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	private static final String PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
			+ "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

	private static final String SWAGGER_POLICY = PAGE_POLICY
		.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
		.replace("img-src 'self'", "img-src 'self' data:");

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.httpBasic(withDefaults())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			// CSRF tokens live in a session, which an API with HTTP Basic does not have.
			// A browser that knows the password would still send it along from another
			// site's page: such requests are refused by the headers of browsers.
			.csrf(AbstractHttpConfigurer::disable)
			.headers((headers) -> headers.addHeaderWriter(pagePolicy()))
			.addFilterBefore(new CrossSiteFilter(), BasicAuthenticationFilter.class)
			.authorizeHttpRequests((requests) -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
				.permitAll()
				.requestMatchers("/", "/index.html", "/page/**", "/actuator/health/**")
				.permitAll()
				.requestMatchers(HttpMethod.GET, "/provider/charges")
				.permitAll()
				.requestMatchers("/actuator/**")
				.hasRole("OPS")
				.requestMatchers(HttpMethod.PUT, "/provider/faults")
				.hasRole("OPS")
				.anyRequest()
				.authenticated())
			.build();
	}

	/**
	 * The pages run only their own scripts, and contact no other origin; error pages as
	 * well. Swagger UI styles itself inline, and has pictures in its addresses.
	 */
	private static HeaderWriter pagePolicy() {
		RequestMatcher swagger = PathPatternRequestMatcher.withDefaults().matcher("/swagger-ui/**");
		HeaderWriter pages = new ContentSecurityPolicyHeaderWriter(PAGE_POLICY);
		HeaderWriter documentation = new ContentSecurityPolicyHeaderWriter(SWAGGER_POLICY);
		return (request, response) -> (swagger.matches(request) ? documentation : pages).writeHeaders(request,
				response);
	}

	/**
	 * The passwords are public. A real application stores them hashed, which Spring
	 * Security would do here as well if it were given the manager itself; with HTTP Basic
	 * each request would then wait for the hash.
	 */
	@Bean
	UserDetailsService users() {
		var users = new InMemoryUserDetailsManager(
				User.withUsername("alice").password("{noop}alice").roles("RIDER").build(),
				User.withUsername("bob").password("{noop}bob").roles("RIDER").build(),
				User.withUsername("ops").password("{noop}ops").roles("OPS").build());
		return users::loadUserByUsername;
	}

}
