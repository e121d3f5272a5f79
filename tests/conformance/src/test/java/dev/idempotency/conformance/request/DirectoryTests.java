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

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.UUID;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldif.LDIFException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.ldap.DefaultSpringSecurityContextSource;
import org.springframework.security.ldap.authentication.BindAuthenticator;
import org.springframework.security.ldap.authentication.LdapAuthenticationProvider;
import org.springframework.security.ldap.search.FilterBasedLdapUserSearch;

import dev.idempotency.conformance.app.NamedCallers;
import dev.idempotency.conformance.app.RunningApplication;

import static dev.idempotency.conformance.app.Responses.assertOriginal;
import static dev.idempotency.conformance.app.Responses.assertReplay;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owner of a key when a directory authenticates the caller, whose login it compares as
 * directories do.
 */
@Tag("S16")
class DirectoryTests {

	private static final String[] ENTRIES = { "dc=example,dc=org|dc: example|objectClass: domain",
			"ou=people,dc=example,dc=org|ou: people|objectClass: organizationalUnit",
			"uid=alice,ou=people,dc=example,dc=org|uid: alice|cn: Alice|sn: A|userPassword: pw|objectClass: inetOrgPerson",
			"uid=bob,ou=people,dc=example,dc=org|uid: bob|cn: Bob|sn: B|userPassword: pw|objectClass: inetOrgPerson" };

	private static InMemoryDirectoryServer directory;

	private static RunningApplication application;

	private final String key = UUID.randomUUID().toString();

	@BeforeAll
	static void start() throws LDAPException, LDIFException {
		InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=org");
		config.setListenerConfigs(InMemoryListenerConfig.createLDAPConfig("loopback", 0));
		directory = new InMemoryDirectoryServer(config);
		for (String entry : ENTRIES) {
			directory.add(("dn: " + entry).split("\\|"));
		}
		directory.startListening();
		application = RunningApplication.start(Callers.Orders.class);
	}

	@AfterAll
	static void stop() {
		application.close();
		directory.shutDown(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pattern", "search" })
	void theSpellingsOfALoginAreOneAccount(String kind) {
		HttpResponse<byte[]> first = order(kind, "alice");
		assertOriginal(first, 200);
		assertReplay(order(kind, "ALICE"), first);
		assertReplay(order(kind, " alice"), first);
		assertReplay(order(kind, "Alice "), first);
		assertOriginal(order(kind, "bob"), 200);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	/**
	 * The last name is the one that the account of the entry has.
	 */
	@ParameterizedTest
	@ValueSource(
			strings = { "alice", "uid=alice,ou=people,dc=example,dc=org", "dc=org,dc=example,ou=people,uid=alice" })
	void aUserOfTheApplicationWithTheNameOfAnEntryIsAnotherAccount(String name) {
		assertOriginal(order("search", "alice"), 200);
		assertOriginal(order(Callers.user(name)), 200);
		assertThat(application.effects(this.key)).isEqualTo(2);
	}

	private HttpResponse<byte[]> order(String kind, String login) {
		return order(provider(kind).authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login, "pw")));
	}

	private HttpResponse<byte[]> order(Authentication caller) {
		String name = UUID.randomUUID().toString();
		NamedCallers.register(name, () -> caller);
		return application.send(application.anonymous("/open/orders/" + this.key)
			.header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.header(NamedCallers.HEADER, name)
			.POST(BodyPublishers.ofString("{}")));
	}

	private static LdapAuthenticationProvider provider(String kind) {
		DefaultSpringSecurityContextSource source = new DefaultSpringSecurityContextSource(
				"ldap://127.0.0.1:" + directory.getListenPort() + "/dc=example,dc=org");
		source.afterPropertiesSet();
		BindAuthenticator authenticator = new BindAuthenticator(source);
		if (kind.equals("pattern")) {
			authenticator.setUserDnPatterns(new String[] { "uid={0},ou=people" });
		}
		else {
			authenticator.setUserSearch(new FilterBasedLdapUserSearch("ou=people", "(uid={0})", source));
		}
		return new LdapAuthenticationProvider(authenticator);
	}

}
