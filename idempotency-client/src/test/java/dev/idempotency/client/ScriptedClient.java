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
package dev.idempotency.client;

import java.util.HashSet;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;

import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import dev.idempotency.testsupport.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client with the interceptor, in front of a server whose answers are scripted.
 */
abstract class ScriptedClient {

	final ScriptedServer server = new ScriptedServer();

	final SimulatedTime time = new SimulatedTime(0);

	final RestClient client = client(Settings.with(Settings.RETRY), (builder) -> {
	});

	@AfterEach
	void stop() {
		this.server.close();
	}

	RestClient client(ClientSettings settings, Consumer<RestClient.Builder> customizer) {
		RestClient.Builder builder = RestClient.builder()
			.baseUrl(this.server.address())
			.requestFactory(new JdkClientHttpRequestFactory())
			.requestInterceptor(interceptor(settings));
		customizer.accept(builder);
		return builder.build();
	}

	IdempotencyClientInterceptor interceptor(ClientSettings settings) {
		return new IdempotencyClientInterceptor(settings, IdempotencyKeyGenerator.timeOrdered(), this.time);
	}

	String charge() {
		return charge(this.client, "/charges");
	}

	static String charge(RestClient client, String path) {
		return client.post().uri(path).body("50 usd").retrieve().requiredBody(String.class);
	}

	void assertOneKey(int deliveries) {
		assertThat(this.server.keys()).hasSize(deliveries).doesNotContainNull();
		assertThat(new HashSet<>(this.server.keys())).hasSize(1);
	}

}
