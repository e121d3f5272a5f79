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
package dev.idempotency.autoconfigure.web;

import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;

import dev.idempotency.web.fingerprint.FormLimits;

/**
 * The limits of the embedded Tomcat, from the connector of the request.
 */
final class TomcatFormLimits implements FormLimits {

	private static final FormLimits USUAL = FormLimits.of(USUAL_FIELDS);

	private final ApplicationContext context;

	TomcatFormLimits(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public @Nullable RuntimeException refusal(HttpServletRequest request, int length, int fields) {
		Connector connector = connector(request.getLocalPort());
		if (connector == null) {
			return USUAL.refusal(request, length, fields);
		}
		int most = connector.getMaxParameterCount();
		if (most >= 0 && fields > most) {
			return new InvalidParameterException("More than the maximum number of request parameters (" + most + ").");
		}
		int longest = connector.getMaxPostSize();
		return (longest >= 0 && length > longest) ? new InvalidParameterException(
				"The form is longer than " + longest + " bytes.", HttpStatus.CONTENT_TOO_LARGE.value()) : null;
	}

	private @Nullable Connector connector(int port) {
		if (this.context instanceof WebServerApplicationContext web
				&& web.getWebServer() instanceof TomcatWebServer tomcat) {
			return Stream.of(tomcat.getTomcat().getService().findConnectors())
				.filter((connector) -> connector.getLocalPort() == port)
				.findFirst()
				.orElse(null);
		}
		return null;
	}

}
