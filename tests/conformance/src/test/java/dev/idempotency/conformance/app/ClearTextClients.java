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

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that send by a given version of HTTP, without TLS. The application has to be
 * started with {@code server.http2.enabled=true}.
 */
public final class ClearTextClients {

	private final Map<Version, HttpClient> clients = new EnumMap<>(Version.class);

	private final int port;

	public ClearTextClients(int port) {
		this.port = port;
	}

	public HttpResponse<byte[]> send(Version version, HttpRequest request) throws IOException, InterruptedException {
		HttpClient client = this.clients.get(version);
		if (client == null) {
			client = HttpClient.newBuilder().version(version).build();
			this.clients.put(version, client);
			// The first request of a connection is HTTP/1.1, which may be upgraded
			client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + "/open")).build(),
					BodyHandlers.discarding());
		}
		HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
		assertThat(response.version()).isEqualTo(version);
		return response;
	}

	/**
	 * Sends a request whose server may close the connection before the client has read
	 * the response, for example since it has not read the body. The request is then sent
	 * again.
	 */
	public HttpResponse<byte[]> sendUntilAnswered(Version version, HttpRequest request)
			throws IOException, InterruptedException {
		for (int attempt = 1;; attempt++) {
			try {
				return send(version, request);
			}
			catch (IOException ex) {
				if (attempt == 5) {
					throw ex;
				}
			}
		}
	}

}
