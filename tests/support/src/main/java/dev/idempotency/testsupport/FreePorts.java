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

package dev.idempotency.testsupport;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that have to know theirs before they start, and keep it over
 * restarts. They lie below those from which operating systems choose the port of an
 * outgoing connection, which could otherwise take a port before its server does.
 */
public final class FreePorts {

	private static final int FIRST = 15_000;

	private static final int END = 32_768;

	private FreePorts() {
	}

	/**
	 * Finds a port that nothing listens on.
	 * @return the port
	 */
	public static int findOne() {
		return find(1).get(0);
	}

	/**
	 * Finds ports that nothing listens on, each a different one.
	 */
	static List<Integer> find(int count) {
		List<ServerSocket> sockets = new ArrayList<>();
		while (sockets.size() < count) {
			try {
				sockets.add(new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST, END)));
			}
			catch (IOException ex) {
				// In use: another one is chosen.
			}
		}
		sockets.forEach(FreePorts::close);
		return sockets.stream().map(ServerSocket::getLocalPort).toList();
	}

	private static void close(ServerSocket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Port " + socket.getLocalPort() + " remains in use", ex);
		}
	}

}
