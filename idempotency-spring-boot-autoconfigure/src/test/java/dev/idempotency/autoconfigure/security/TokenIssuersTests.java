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
package dev.idempotency.autoconfigure.security;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AccessToken.TokenType;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("S11")
class TokenIssuersTests {

	private static final String ISSUER = "https://one.example";

	private final PrincipalAccountResolver accounts = new PrincipalAccountResolver(
			SecurityContextHolder::getContextHolderStrategy);

	private String issuer(Authentication authentication) {
		return this.accounts.issuer(authentication);
	}

	private static Authentication ofPrincipal(Object principal) {
		return UsernamePasswordAuthenticationToken.authenticated(principal, null, List.of());
	}

	@Test
	void aJwtHasItsIssuer() {
		Jwt jwt = Jwt.withTokenValue("t").header("alg", "none").subject("7").issuer(ISSUER).build();
		assertThat(issuer(new JwtAuthenticationToken(jwt))).isEqualTo(ISSUER);
		assertThat(issuer(ofPrincipal(jwt))).isEqualTo(ISSUER);
	}

	@Test
	void aBearerTokenWithoutAnIssuerIsNotTheApplicationItself() {
		Jwt jwt = Jwt.withTokenValue("t").header("alg", "none").subject("7").build();
		assertThat(issuer(new JwtAuthenticationToken(jwt))).isEqualTo("bearer:");
	}

	@Test
	void anOpaqueTokenHasTheIssuerOfItsIntrospection() {
		DefaultOAuth2AuthenticatedPrincipal principal = new DefaultOAuth2AuthenticatedPrincipal("7",
				Map.of("sub", "7", "iss", ISSUER), List.of());
		OAuth2AccessToken token = new OAuth2AccessToken(TokenType.BEARER, "t", null, null);
		assertThat(issuer(new BearerTokenAuthentication(principal, token, List.of()))).isEqualTo(ISSUER);
		assertThat(issuer(ofPrincipal(principal))).isEqualTo(ISSUER);
	}

	@Test
	void anOpenIdLoginHasTheIssuerOfItsToken() {
		OidcIdToken token = OidcIdToken.withTokenValue("t").subject("7").issuer(ISSUER).build();
		DefaultOidcUser user = new DefaultOidcUser(List.of(), token);
		assertThat(issuer(new OAuth2AuthenticationToken(user, List.of(), "one"))).isEqualTo(ISSUER);
	}

	@Test
	@Tag("S15")
	void anIssuerIsFoundInCredentialsAndDetailsAndInAnAuthenticationWithinAnother() {
		User user = new User("7", "", List.of());
		Jwt jwt = Jwt.withTokenValue("t").header("alg", "none").subject("7").issuer(ISSUER).build();
		assertThat(issuer(UsernamePasswordAuthenticationToken.authenticated(user, jwt, List.of()))).isEqualTo(ISSUER);
		assertThat(issuer(
				UsernamePasswordAuthenticationToken.authenticated(user, Map.of("iss", ISSUER, "sub", "7"), List.of())))
			.isEqualTo(ISSUER);
		UsernamePasswordAuthenticationToken detailed = UsernamePasswordAuthenticationToken.authenticated(user, null,
				List.of());
		detailed.setDetails(jwt);
		assertThat(issuer(detailed)).isEqualTo(ISSUER);
		detailed.setDetails(new JwtAuthenticationToken(jwt));
		assertThat(issuer(detailed)).isEqualTo(ISSUER);
		detailed.setDetails(new SamlUser());
		assertThat(issuer(detailed)).isEqualTo("registration:one");
		detailed.setDetails("an address");
		assertThat(issuer(detailed)).isEmpty();
		detailed.setDetails(detailed);
		assertThat(issuer(detailed)).isEmpty();
	}

	@Test
	void aRelyingPartyIsKnownByItsRegistration() {
		assertThat(issuer(ofPrincipal(new SamlUser()))).isEqualTo("registration:one");
	}

	@Test
	void aUserOfTheApplicationHasNone() {
		assertThat(issuer(ofPrincipal("7"))).isEmpty();
		assertThat(issuer(ofPrincipal((AuthenticatedPrincipal) () -> "7"))).isEmpty();
	}

	/**
	 * A principal with the property that Spring Security's for SAML has.
	 */
	public static final class SamlUser implements AuthenticatedPrincipal {

		@Override
		public String getName() {
			return "7";
		}

		public String getRelyingPartyRegistrationId() {
			return "one";
		}

	}

}
