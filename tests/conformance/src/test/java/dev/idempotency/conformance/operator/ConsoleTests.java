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
package dev.idempotency.conformance.operator;

import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.Exchanges;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Provider.Fault;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The operator's console over HTTP, and what its actions leave in the log.
 */
@Tag("Y7")
@ExtendWith(OutputCaptureExtension.class)
class ConsoleTests {

	private static final String[] EXPOSED = { "management.endpoint.idempotencyconsole.access=read-only",
			"management.endpoints.web.exposure.include=*", "management.endpoint.idempotency.access=unrestricted",
			"idempotency.completer.threads=0" };

	private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"(idempotencyconsole/[^\"]+)\"");

	private static final Pattern IMPORT = Pattern.compile("from '\\./([^']+)'");

	private static Provider provider;

	private static RunningApplication application;

	private static Actuator actuator;

	@BeforeAll
	static void start() {
		provider = new Provider();
		provider.failWith((key) -> Fault.UNAVAILABLE);
		application = start(MigratedDatabase.create(), EXPOSED);
		actuator = new Actuator(application);
	}

	private static RunningApplication start(TestDatabase database, String... properties) {
		String[] all = new String[properties.length + 1];
		System.arraycopy(properties, 0, all, 1, properties.length);
		all[0] = "provider=" + provider.address();
		return RunningApplication.start(database, List.of(Rides.class, Gates.class), all);
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	private static String waitingRide(String key) {
		assertThat(application.post(ALICE, "/rides", key, Labelled.json(key)).statusCode()).isEqualTo(503);
		return Actuator.text(actuator.lookUp(key), "id");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/main.js", "/console.css", "/settings" })
	void eachPartIsServedWithHeadersThatKeepStrangersOut(String part) {
		HttpResponse<byte[]> response = actuator.send("idempotencyconsole" + part);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Security-Policy").orElse(""))
			.contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'")
			.doesNotContain("unsafe");
		assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
		assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
	}

	@Test
	void everyFileThatThePageNeedsIsServedAndComesFromTheConsole() {
		HttpResponse<byte[]> page = actuator.send("idempotencyconsole");
		assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
		assertThat(text(page)).doesNotContain("http://", "https://", "{console}", "<style", "onclick");
		Set<String> open = new HashSet<>();
		Matcher references = REFERENCE.matcher(text(page));
		while (references.find()) {
			open.add(references.group(1));
		}
		Set<String> seen = new HashSet<>();
		while (!open.isEmpty()) {
			String file = open.iterator().next();
			open.remove(file);
			HttpResponse<byte[]> response = actuator.send(file);
			assertThat(response.statusCode()).as(file).isEqualTo(200);
			seen.add(file);
			Matcher imports = IMPORT.matcher(text(response));
			while (imports.find()) {
				if (!seen.contains("idempotencyconsole/" + imports.group(1))) {
					open.add("idempotencyconsole/" + imports.group(1));
				}
			}
		}
		assertThat(seen).hasSize(10);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nothing", "/index.html", "/IdempotencyConsoleEndpoint.class", "/settings/more" })
	void nothingElseIsServed(String part) {
		assertThat(actuator.send("idempotencyconsole" + part).statusCode()).isEqualTo(404);
	}

	@Test
	void whoMayNotSeeTheActuatorSeesNoConsole() {
		for (String part : List.of("", "/main.js", "/settings")) {
			assertThat(
					application.send(application.anonymous("/actuator/idempotencyconsole" + part).GET()).statusCode())
				.isEqualTo(401);
		}
	}

	@Test
	void thePageKnowsWhatIsExposedAndWhatMayBeChanged() {
		JsonNode settings = actuator.get("idempotencyconsole/settings");
		assertThat(Actuator.text(settings, "operator")).isEqualTo(ALICE);
		assertThat(settings.path("csrf").isEmpty()).isTrue();
		JsonNode endpoints = settings.path("endpoints");
		assertThat(endpoints.path("idempotency").path("writable").asBoolean(false)).isTrue();
		assertThat(endpoints.path("idempotencyjobs").path("writable").asBoolean(true)).isFalse();
		assertThat(endpoints.path("idempotencylookup").path("writable").asBoolean(false)).isTrue();
		assertThat(Actuator.text(endpoints.path("metrics"), "path")).isEqualTo("metrics");
		assertThat(endpoints.has("env")).isFalse();
		assertThat(endpoints.has("idempotencyoutbox")).isFalse();
	}

	@Test
	void itIsOffUntilItIsSwitchedOn() {
		try (RunningApplication off = start(application.database(), "management.endpoints.web.exposure.include=*")) {
			assertThat(new Actuator(off).send("idempotencyconsole").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void itWorksBehindPrefixesAndUnderOtherPaths() {
		try (RunningApplication moved = start(application.database(),
				"management.endpoint.idempotencyconsole.access=read-only",
				"management.endpoints.web.exposure.include=idempotency,idempotencyconsole",
				"server.servlet.context-path=/shop", "management.endpoints.web.base-path=/ops",
				"management.endpoints.web.path-mapping.idempotencyconsole=tools/console",
				"management.endpoints.web.path-mapping.idempotency=requests")) {
			String page = text(moved.send(moved.request(ALICE, "/shop/ops/tools/console").GET()));
			assertThat(page).contains("src=\"console/main.js\"", "data-console=\"console\"");
			HttpResponse<byte[]> settings = moved.send(moved.request(ALICE, "/shop/ops/tools/console/settings").GET());
			assertThat(Actuator.text(Actuator.json(settings).path("endpoints").path("idempotency"), "path"))
				.isEqualTo("../requests");
			assertThat(moved.send(moved.request(ALICE, "/shop/ops/requests").GET()).statusCode()).isEqualTo(200);
		}
	}

	@Test
	void itIsOnTheManagementPortWhereThereIsOne() {
		try (RunningApplication managed = start(application.database(),
				"management.endpoint.idempotencyconsole.access=read-only",
				"management.endpoints.web.exposure.include=idempotency,idempotencyconsole", "management.server.port=0",
				"management.server.address=127.0.0.1")) {
			assertThat(managed.send(managed.request(ALICE, "/actuator/idempotencyconsole").GET()).statusCode())
				.isEqualTo(404);
			String port = String.valueOf(managed.context().getEnvironment().getProperty("local.management.port"));
			HttpResponse<byte[]> page = managed
				.send(managed.request(ALICE, "/actuator/idempotencyconsole").uri(managementUri(port, "")).GET());
			assertThat(page.statusCode()).isEqualTo(200);
			assertThat(page.headers().firstValue("Content-Security-Policy").orElse("")).contains("default-src 'none'");
			HttpResponse<byte[]> settings = managed
				.send(managed.request(ALICE, "/actuator").uri(managementUri(port, "/settings")).GET());
			assertThat(Actuator.text(Actuator.json(settings), "operator")).isEqualTo(ALICE);
		}
	}

	private static URI managementUri(String port, String part) {
		return URI.create("http://127.0.0.1:" + port + "/actuator/idempotencyconsole" + part);
	}

	/**
	 * A form of another site can send these types and no other; a script can leave the
	 * type out.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "" })
	void anActionThatAStrangersFormCouldSendIsRefused(String type) {
		String id = waitingRide("cross-site-" + type.length());
		var request = application.request(ALICE, "/actuator/idempotency/" + id + "/abandon")
			.POST(BodyPublishers.ofString("{}"));
		HttpResponse<byte[]> response = application
			.send(type.isEmpty() ? request : request.header("Content-Type", type));
		assertThat(response.statusCode()).isEqualTo(415);
		assertThat(Actuator.text(actuator.get("idempotency/" + id), "state")).isEqualTo("waiting");
	}

	@Test
	void aRequestIsFoundByTheDigitsThatALogLineHas() {
		String id = waitingRide("by-digits");
		assertThat(Actuator.text(actuator.get("idempotency/" + id.substring(0, 12)), "id")).isEqualTo(id);
		assertThat(Actuator.text(actuator.get("idempotency/" + id.substring(0, 40).toUpperCase()), "id")).isEqualTo(id);
		assertThat(actuator.send("idempotency/" + id.substring(0, 11)).statusCode()).isEqualTo(404);
		assertThat(actuator.send("idempotency/" + "0".repeat(12)).statusCode()).isEqualTo(404);
	}

	@Test
	void aRequestIsShownWithItsAccountItsStepsAndWhatAnotherDeliveryGets() {
		String id = waitingRide("shown");
		JsonNode first = actuator.get("idempotency/" + id);
		assertThat(Actuator.text(first, "account")).matches("[0-9a-f]+")
			.isEqualTo(Actuator.text(actuator.get("idempotency/" + waitingRide("of-the-same-account")), "account"));
		assertThat(first.path("steps").toString()).isEqualTo("[\"ride_created\"]");
		assertThat(Actuator.text(first.path("next"), "outcome")).isEqualTo("continued");
		assertThat(first.toString()).doesNotContain(ALICE);
		actuator.post("idempotency/" + id + "/abandon", Map.of("status", 410));
		JsonNode finished = actuator.get("idempotency/" + id);
		assertThat(Actuator.text(finished, "account")).isEqualTo(Actuator.text(first, "account"));
		assertThat(Actuator.text(finished.path("next"), "outcome")).isEqualTo("replayed");
		assertThat(finished.path("next").path("status").asInt()).isEqualTo(410);
		HttpResponse<byte[]> retry = application.post(ALICE, "/rides", "shown", Labelled.json("shown"));
		assertThat(retry.statusCode()).isEqualTo(410);
	}

	@Test
	void eachActionIsLoggedWithWhoDidItAndWhatCameOfIt(CapturedOutput output) {
		String id = waitingRide("audited");
		actuator.post("idempotency/" + id + "/retry", Map.of());
		assertThat(output).contains("[IDEM-1507] operator 'alice': retry request " + id + ", done, state waiting");
		actuator.post("idempotency/" + id + "/abandon", Map.of("status", 410));
		assertThat(output)
			.contains("[IDEM-1507] operator 'alice': abandon with 410 request " + id + ", done, state finished");
		actuator.send("idempotency/" + id + "/retry", Map.of());
		assertThat(output).contains("[IDEM-1507] operator 'alice': retry request " + id + ", not done, state finished");
		actuator.post("idempotency/purge", Map.of("account", "somebody"));
		assertThat(output)
			.contains("[IDEM-1507] operator 'alice': purge an account, done, 0 answers, 0 unfinished requests");
		assertThat(output).doesNotContain("somebody", "IDEM-1508", "audited");
	}

	@Test
	void eachViewOfAContentIsLoggedWithWhoSawIt(CapturedOutput output) {
		String id = waitingRide("viewed");
		try (RunningApplication open = start(application.database(), "idempotency.endpoint.show-bodies=true",
				"management.endpoints.web.exposure.include=*", "idempotency.completer.threads=0")) {
			Actuator opened = new Actuator(open);
			assertThat(opened.get("idempotency/" + id).has("content")).isTrue();
			assertThat(output).containsOnlyOnce("[IDEM-1508] operator 'alice': content of request " + id);
			opened.get("idempotency/" + id.substring(0, 12));
			opened.post("idempotencylookup", Map.of("account", ALICE, "key", "viewed"));
			assertThat(output.getAll().split(Pattern.quote("content of request " + id), -1)).hasSize(4);
			opened.get("idempotency/open");
			assertThat(output.getAll().split("IDEM-1508", -1)).hasSize(4);
		}
	}

	@Test
	void withProtectionAgainstForgedRequestsAnActionCarriesTheTokenOfThePage() {
		try (RunningApplication guarded = RunningApplication.start(application.database(), List.of(Guarded.class),
				EXPOSED)) {
			String id = waitingRide("guarded");
			HttpResponse<byte[]> settings = guarded
				.send(guarded.request(ALICE, "/actuator/idempotencyconsole/settings").GET());
			Map.Entry<String, JsonNode> token = Actuator.json(settings).path("csrf").properties().iterator().next();
			String session = settings.headers().firstValue("Set-Cookie").orElse("").split(";")[0];
			String retry = "/actuator/idempotency/" + id + "/retry";
			assertThat(guarded.send(guarded.json(ALICE, retry, "{}").header("Cookie", session)).statusCode())
				.isEqualTo(403);
			HttpResponse<byte[]> done = guarded.send(guarded.json(ALICE, retry, "{}")
				.header("Cookie", session)
				.header(token.getKey(), token.getValue().asString()));
			assertThat(done.statusCode()).as(Exchanges.text(done)).isEqualTo(200);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Guarded {

		@Bean
		@Order(0)
		SecurityFilterChain actuatorSecurity(HttpSecurity http) {
			return http.securityMatcher("/actuator/**")
				.httpBasic(withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

	}

}
