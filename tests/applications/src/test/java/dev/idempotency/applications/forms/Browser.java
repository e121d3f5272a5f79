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

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A browser: cookies, the media types that it accepts, and the hidden fields of a form.
 */
final class Browser {

	private static final Pattern HIDDEN = Pattern
		.compile("<input type=\"hidden\" name=\"([^\"]+)\" value=\"([^\"]+)\"\\s*/?>");

	private final HttpClient client = HttpClient.newBuilder()
		.cookieHandler(new CookieManager())
		.followRedirects(HttpClient.Redirect.NEVER)
		.build();

	private final int port;

	Browser(int port) {
		this.port = port;
	}

	HttpResponse<String> get(String path) {
		return send(request(path).GET());
	}

	HttpResponse<String> post(String path, Map<String, String> fields) {
		return send(form(path, fields));
	}

	HttpRequest.Builder form(String path, Map<String, String> fields) {
		String body = fields.entrySet()
			.stream()
			.map((field) -> URLEncoder.encode(field.getKey(), StandardCharsets.UTF_8) + "="
					+ URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
			.collect(Collectors.joining("&"));
		return request(path).header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString(body));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
			.header("Authorization", "Basic YWxpY2U6YWxpY2U=")
			.header("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
	}

	HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return this.client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The hidden fields of a form of a page.
	 * @param id the id of the form
	 */
	static Map<String, String> hidden(String page, String id) {
		int start = page.indexOf("<form id=\"" + id + "\"");
		Matcher fields = HIDDEN.matcher(page.substring(start, page.indexOf("</form>", start)));
		Map<String, String> found = new LinkedHashMap<>();
		while (fields.find()) {
			found.put(fields.group(1), fields.group(2));
		}
		return found;
	}

}
