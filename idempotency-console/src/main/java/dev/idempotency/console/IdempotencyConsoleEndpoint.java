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
package dev.idempotency.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The operator's console, as an endpoint of the actuator: it is exposed and protected
 * next to the other endpoints, in the same way. It serves files, whose data comes from
 * the other endpoints. It is off until its access is set.
 */
@WebEndpoint(id = IdempotencyConsoleEndpoint.ID, defaultAccess = Access.NONE)
public final class IdempotencyConsoleEndpoint {

	/**
	 * The id of the endpoint.
	 */
	public static final String ID = "idempotencyconsole";

	private static final String HTML = "text/html;charset=UTF-8";

	private static final String CSS = "text/css;charset=UTF-8";

	private static final String SCRIPT = "text/javascript;charset=UTF-8";

	private static final String SVG = "image/svg+xml";

	/**
	 * The page runs its own scripts, calls its own origin, and cannot be framed.
	 */
	private static final Map<String, String> HEADERS = Map.of("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
					+ "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options", "nosniff", "X-Frame-Options", "DENY", "Referrer-Policy", "no-referrer",
			"Cache-Control", "no-store");

	private static final Map<String, String> FILES = Map.ofEntries(Map.entry("console.css", CSS),
			Map.entry("icon.svg", SVG), Map.entry("main.js", SCRIPT), Map.entry("api.js", SCRIPT),
			Map.entry("dom.js", SCRIPT), Map.entry("plots.js", SCRIPT), Map.entry("requests.js", SCRIPT),
			Map.entry("request.js", SCRIPT), Map.entry("queues.js", SCRIPT), Map.entry("actions.js", SCRIPT));

	private final Supplier<WebEndpointsSupplier> endpoints;

	private final Function<HttpServletRequest, Map<String, String>> csrf;

	private final Supplier<Set<String>> features;

	/**
	 * Creates an endpoint.
	 * @param endpoints supplies the exposed endpoints
	 * @param csrf returns the headers that an action with a request's session or cookie
	 * carries, empty if the application asks for none
	 * @param features supplies the ids of the endpoints, exposed or not, whose feature
	 * the application has
	 */
	public IdempotencyConsoleEndpoint(Supplier<WebEndpointsSupplier> endpoints,
			Function<HttpServletRequest, Map<String, String>> csrf, Supplier<Set<String>> features) {
		this.endpoints = endpoints;
		this.csrf = csrf;
		this.features = features;
	}

	/**
	 * Returns the page.
	 * @return HTML
	 */
	@ReadOperation(produces = HTML)
	public WebEndpointResponse<Resource> page() {
		String root = ConsoleSettings.rootPath(this.endpoints.get());
		try {
			String page = new ClassPathResource("index.html", IdempotencyConsoleEndpoint.class)
				.getContentAsString(StandardCharsets.UTF_8)
				// Relative to the page, since a proxy may put something in front of its
				// path
				.replace("{console}", root.substring(root.lastIndexOf('/') + 1));
			return respond(new ByteArrayResource(page.getBytes(StandardCharsets.UTF_8)), HTML);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns a part of the page.
	 * @param path the name of a file, or {@code settings} for the endpoints that are
	 * exposed, whether they allow actions, and the token that actions carry
	 * @param operator the operator's call
	 * @return the part
	 */
	@ReadOperation(produces = { SCRIPT, CSS, SVG, MimeTypeUtils.APPLICATION_JSON_VALUE })
	public WebEndpointResponse<?> part(@Selector(match = Match.ALL_REMAINING) String[] path, SecurityContext operator) {
		String name = String.join("/", path);
		if (name.equals("settings")) {
			return respond(settings(operator), MimeTypeUtils.APPLICATION_JSON_VALUE);
		}
		String type = FILES.get(name);
		return (type != null) ? respond(new ClassPathResource(name, IdempotencyConsoleEndpoint.class), type)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private ConsoleSettings settings(SecurityContext operator) {
		ServletRequestAttributes exchange = exchange();
		Principal principal = operator.getPrincipal();
		return ConsoleSettings.of((principal != null) ? principal.getName() : null,
				(exchange != null) ? this.csrf.apply(exchange.getRequest()) : Map.of(), this.endpoints.get(),
				this.features.get());
	}

	/**
	 * Responds with the headers, which an operation can set only on the response of the
	 * current request.
	 */
	private static <T> WebEndpointResponse<T> respond(T body, String type) {
		ServletRequestAttributes exchange = exchange();
		HttpServletResponse response = (exchange != null) ? exchange.getResponse() : null;
		if (response == null) {
			throw new IllegalStateException("The console is served by Spring MVC only");
		}
		HEADERS.forEach(response::setHeader);
		return new WebEndpointResponse<>(body, MimeType.valueOf(type));
	}

	private static @Nullable ServletRequestAttributes exchange() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes servlet) ? servlet
				: null;
	}

}
