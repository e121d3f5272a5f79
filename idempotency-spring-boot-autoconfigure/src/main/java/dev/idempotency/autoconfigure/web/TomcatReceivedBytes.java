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

import java.lang.reflect.Field;

import jakarta.servlet.ServletRequest;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.RequestFacade;

import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

import dev.idempotency.web.content.ReceivedBytes;

/**
 * Tomcat's count of the bytes of a body. Nothing public leads from a request of the
 * application to it: the field is that which Spring's {@code TomcatHttpHandlerAdapter}
 * reads, too.
 */
final class TomcatReceivedBytes implements ReceivedBytes {

	private final Field request;

	TomcatReceivedBytes() {
		Field field = ReflectionUtils.findField(RequestFacade.class, "request", Request.class);
		Assert.state(field != null, "This version of Tomcat is not supported: its RequestFacade has no request");
		ReflectionUtils.makeAccessible(field);
		this.request = field;
	}

	@Override
	public long count(ServletRequest request) {
		return (request instanceof RequestFacade
				&& ReflectionUtils.getField(this.request, request) instanceof Request own)
						? own.getCoyoteRequest().getBytesRead() : -1;
	}

}
