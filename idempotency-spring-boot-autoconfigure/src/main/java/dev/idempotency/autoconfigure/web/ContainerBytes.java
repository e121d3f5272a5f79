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
import org.apache.catalina.connector.RequestFacade;
import org.eclipse.jetty.ee11.servlet.ServletApiRequest;
import org.eclipse.jetty.server.Request;

import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.idempotency.web.ReceivedBytes;

/**
 * The count of the bytes of a body by the container, Tomcat or Jetty.
 */
final class ContainerBytes implements ReceivedBytes {

	private static final boolean TOMCAT = isPresent("org.apache.catalina.connector.RequestFacade");

	private static final boolean JETTY = isPresent("org.eclipse.jetty.ee11.servlet.ServletApiRequest");

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, ContainerBytes.class.getClassLoader());
	}

	@Override
	public long count(ServletRequest request) {
		long count = TOMCAT ? Tomcat.count(request) : -1;
		return (count < 0 && JETTY) ? Jetty.count(request) : count;
	}

	/**
	 * Tomcat. Nothing public leads from a request of the application to the count: the
	 * field is also read by Spring's {@code TomcatHttpHandlerAdapter}.
	 */
	private static final class Tomcat {

		private static final Field REQUEST = findRequest();

		private static Field findRequest() {
			Field field = ReflectionUtils.findField(RequestFacade.class, "request");
			Assert.state(field != null, "This version of Tomcat is not supported: its RequestFacade has no request");
			ReflectionUtils.makeAccessible(field);
			return field;
		}

		static long count(ServletRequest request) {
			return (request instanceof RequestFacade
					&& ReflectionUtils.getField(REQUEST, request) instanceof org.apache.catalina.connector.Request own)
							? own.getCoyoteRequest().getBytesRead() : -1;
		}

	}

	/**
	 * Jetty.
	 */
	private static final class Jetty {

		static long count(ServletRequest request) {
			return (request instanceof ServletApiRequest own) ? Request.getContentBytesRead(own.getRequest()) : -1;
		}

	}

}
