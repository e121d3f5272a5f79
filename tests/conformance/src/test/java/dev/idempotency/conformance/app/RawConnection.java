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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A connection for what a well-behaved HTTP client does not send. Each byte of its text
 * is one ISO-8859-1 character.
 */
public final class RawConnection implements AutoCloseable {

	private static final int READ_TIMEOUT_MILLIS = 60_000;

	private final Socket socket;

	private RawConnection(Socket socket) {
		this.socket = socket;
	}

	public static RawConnection open(RunningApplication application) throws IOException {
		Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), application.port());
		socket.setSoTimeout(READ_TIMEOUT_MILLIS);
		return new RawConnection(socket);
	}

	/**
	 * Sends the beginning of a POST as a user, up to and with the empty line.
	 * @param fields more header fields, each with its line end
	 */
	public RawConnection post(String user, String path, String fields) throws IOException {
		String credentials = Base64.getEncoder()
			.encodeToString((user + ":" + user).getBytes(StandardCharsets.US_ASCII));
		return send("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Basic "
				+ credentials + "\r\n" + fields + "\r\n");
	}

	/**
	 * Sends a complete POST of JSON.
	 */
	public RawConnection postJson(String user, String path, String key, String body) throws IOException {
		return post(user, path, "Idempotency-Key: " + key + "\r\nContent-Type: application/json\r\nContent-Length: "
				+ body.length() + "\r\n")
			.send(body);
	}

	public RawConnection send(String text) throws IOException {
		this.socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
		this.socket.getOutputStream().flush();
		return this;
	}

	/**
	 * Reads the head of the response, up to the empty line.
	 */
	public String readHead() throws IOException {
		InputStream in = this.socket.getInputStream();
		ByteArrayOutputStream head = new ByteArrayOutputStream();
		while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
			int next = in.read();
			if (next < 0) {
				break;
			}
			head.write(next);
		}
		return head.toString(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Breaks the connection without a goodbye.
	 */
	public void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
