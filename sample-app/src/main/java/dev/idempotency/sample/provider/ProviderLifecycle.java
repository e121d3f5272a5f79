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
package dev.idempotency.sample.provider;

import java.net.URI;
import java.net.http.HttpClient;

import dev.idempotency.provider.PaymentProviderServer;
import dev.idempotency.provider.ProviderSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;

/**
 * Starts the provider before the application accepts requests, and stops it after the
 * last of them.
 */
final class ProviderLifecycle implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(ProviderLifecycle.class);

	private final JdbcConnectionDetails database;

	private final ProviderProperties properties;

	private volatile @Nullable Running running;

	ProviderLifecycle(JdbcConnectionDetails database, ProviderProperties properties) {
		this.database = database;
		this.properties = properties;
	}

	@Override
	public int getPhase() {
		return WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 1024;
	}

	@Override
	public void start() {
		PaymentProviderServer server = PaymentProviderServer.start(this.database,
				new ProviderSettings(this.properties.apiKey(), this.properties.latency()));
		// The JDK's client takes long to set up the encryption, which is not needed here.
		this.running = new Running(server, SingletonSupplier.of(() -> createClient(server.address())));
		logger.info("The payment provider is at " + server.address());
	}

	private RestClient createClient(URI address) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.connectTimeout(this.properties.connectTimeout())
			.build());
		requests.setReadTimeout(this.properties.readTimeout());
		return RestClient.builder()
			.requestFactory(requests)
			.baseUrl(address)
			.defaultHeaders((headers) -> headers.setBearerAuth(this.properties.apiKey()))
			.build();
	}

	@Override
	public void stop() {
		Running stopped = this.running;
		this.running = null;
		if (stopped != null) {
			stopped.server().close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running != null;
	}

	/**
	 * A client of the provider where it is now: each start gives it another port.
	 */
	RestClient client() {
		Running current = this.running;
		if (current == null) {
			throw new IllegalStateException("The payment provider is not running");
		}
		return current.client().obtain();
	}

	private record Running(PaymentProviderServer server, SingletonSupplier<RestClient> client) {
	}

}
