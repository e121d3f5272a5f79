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

package dev.idempotency.store;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.util.StringUtils;

/**
 * The name of this node, which each claim of a lease stores so that operators find its
 * log. It coordinates nothing.
 */
public final class NodeName {

	/**
	 * Maximum number of characters.
	 */
	public static final int MAX_LENGTH = 255;

	/**
	 * Host and process id. In a container the host name is the name of the pod.
	 */
	public static final String CURRENT = of(host(), ProcessHandle.current().pid());

	private NodeName() {
	}

	static String of(String host, long pid) {
		String suffix = ":" + pid;
		int length = Math.min(host.length(), MAX_LENGTH - suffix.length());
		return host.substring(0, length) + suffix;
	}

	private static String host() {
		String named = System.getenv("HOSTNAME");
		if (StringUtils.hasText(named)) {
			return named;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
