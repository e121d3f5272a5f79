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

package dev.idempotency.benchmarks.load;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * An HTTP/1.1 connection that is kept open, with as little work as possible on the
 * client's side: client and server share the processors, and what the client takes makes
 * all ratios look better than they are.
 */
public final class HttpConnection implements AutoCloseable {

	/** The credentials one:secret, which only the application with HTTP Basic reads. */
	private static final String AUTHORIZATION = "\r\nAuthorization: Basic b25lOnNlY3JldA==";

	private final Socket socket;

	private final InputStream in;

	public HttpConnection(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.in = new BufferedInputStream(this.socket.getInputStream());
	}

	public Reply post(Variant variant) throws IOException {
		String key = variant.keys().get();
		byte[] body = variant.workload().body();
		byte[] head = ("POST " + variant.path() + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Account: "
				+ variant.accounts().get() + AUTHORIZATION + (key.isEmpty() ? "" : "\r\nIdempotency-Key: " + key)
				+ "\r\nContent-Type: " + variant.workload().contentType() + "\r\nContent-Length: " + body.length
				+ "\r\n\r\n")
			.getBytes(StandardCharsets.US_ASCII);
		byte[] request = Arrays.copyOf(head, head.length + body.length);
		System.arraycopy(body, 0, request, head.length, body.length);
		this.socket.getOutputStream().write(request);
		return readReply();
	}

	private Reply readReply() throws IOException {
		int status = Integer.parseInt(line().substring(9, 12));
		int length = -1;
		boolean replayed = false;
		for (String header = line(); !header.isEmpty(); header = line()) {
			String lower = header.toLowerCase(Locale.ROOT);
			if (lower.startsWith("content-length:")) {
				length = Integer.parseInt(lower.substring(15).strip());
			}
			replayed |= lower.startsWith("idempotent-replayed:");
		}
		if (length >= 0) {
			this.in.skipNBytes(length);
		}
		else {
			skipChunks();
		}
		return new Reply(status, replayed);
	}

	private void skipChunks() throws IOException {
		int size;
		do {
			size = Integer.parseInt(line(), 16);
			this.in.skipNBytes(size + 2);
		}
		while (size > 0);
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder(64);
		for (int c = this.in.read(); c != '\n'; c = this.in.read()) {
			if (c == -1) {
				throw new EOFException();
			}
			if (c != '\r') {
				line.append((char) c);
			}
		}
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	/**
	 * A received reply.
	 *
	 * @param status the status
	 * @param replayed whether it is marked as a replay
	 */
	public record Reply(int status, boolean replayed) {
	}

}
