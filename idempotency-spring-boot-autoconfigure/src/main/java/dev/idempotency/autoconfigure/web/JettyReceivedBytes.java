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

import jakarta.servlet.ServletRequest;
import org.eclipse.jetty.ee11.servlet.ServletApiRequest;
import org.eclipse.jetty.server.Request;

import dev.idempotency.web.content.ReceivedBytes;

/**
 * Jetty's count of the bytes of a body.
 */
final class JettyReceivedBytes implements ReceivedBytes {

	@Override
	public long count(ServletRequest request) {
		return (request instanceof ServletApiRequest own) ? Request.getContentBytesRead(own.getRequest()) : -1;
	}

}
