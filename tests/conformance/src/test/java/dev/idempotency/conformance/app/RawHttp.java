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
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * HTTP/1.1 by hand, for requests that no well-behaved client sends and for responses as
 * they are framed on the wire.
 */
public final class RawHttp {

	private static final byte[] HEAD_END = "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);

	/**
	 * A response as it was received.
	 *
	 * @param status the status
	 * @param lines the header lines
	 * @param body the body, without its framing
	 */
	public record Response(int status, List<String> lines, byte[] body) {

		/**
		 * The values of a header, one for each line.
		 */
		public List<String> values(String name) {
			String prefix = name.toLowerCase() + ":";
			return this.lines.stream()
				.filter((line) -> line.toLowerCase().startsWith(prefix))
				.map((line) -> line.substring(prefix.length()).trim())
				.toList();
		}

		public String text() {
			return new String(this.body, StandardCharsets.UTF_8);
		}

	}

	private final int port;

	public RawHttp(int port) {
		this.port = port;
	}

	/**
	 * Post JSON as a user.
	 * @param lines header lines as they go out, one byte for each character
	 */
	public Response post(String user, String path, String body, String... lines) {
		List<String> all = new ArrayList<>(List.of("Content-Type: application/json"));
		all.addAll(Arrays.asList(lines));
		return post(user, path, body.getBytes(StandardCharsets.UTF_8), all.toArray(new String[0]));
	}

	/**
	 * Post any content as a user.
	 */
	public Response post(String user, String path, byte[] body, String... lines) {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
		StringBuilder head = new StringBuilder("POST ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
		head.append("Connection: close\r\nAuthorization: Basic ").append(credentials).append("\r\n");
		for (String line : lines) {
			head.append(line).append("\r\n");
		}
		if (Arrays.stream(lines).noneMatch((line) -> line.startsWith("Transfer-Encoding"))) {
			head.append("Content-Length: ").append(body.length).append("\r\n");
		}
		return send(head.append("\r\n").toString(), body);
	}

	private Response send(String head, byte[] body) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(60_000);
			ByteArrayOutputStream request = new ByteArrayOutputStream();
			request.write(head.getBytes(StandardCharsets.ISO_8859_1));
			request.write(body);
			socket.getOutputStream().write(request.toByteArray());
			return parse(socket.getInputStream().readAllBytes());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Response parse(byte[] received) {
		int end = indexOf(received, HEAD_END, 0);
		String head = new String(received, 0, end, StandardCharsets.ISO_8859_1);
		List<String> lines = List.of(head.split("\r\n"));
		Response framed = new Response(Integer.parseInt(lines.get(0).split(" ")[1]), lines.subList(1, lines.size()),
				Arrays.copyOfRange(received, end + HEAD_END.length, received.length));
		return framed.values("Transfer-Encoding").contains("chunked")
				? new Response(framed.status(), framed.lines(), withoutChunks(framed.body())) : framed;
	}

	/**
	 * Fails on anything that is not well framed, up to the last chunk.
	 */
	private static byte[] withoutChunks(byte[] framed) {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		byte[] lineEnd = Arrays.copyOf(HEAD_END, 2);
		int position = 0;
		while (true) {
			int sizeEnd = indexOf(framed, lineEnd, position);
			int size = Integer.parseInt(new String(framed, position, sizeEnd - position, StandardCharsets.US_ASCII),
					16);
			position = sizeEnd + 2;
			content.write(framed, position, size);
			if (indexOf(framed, lineEnd, position + size) != position + size) {
				throw new IllegalStateException("A chunk does not end with its size");
			}
			position += size + 2;
			if (size == 0) {
				return content.toByteArray();
			}
		}
	}

	private static int indexOf(byte[] bytes, byte[] searched, int from) {
		for (int i = from; i <= bytes.length - searched.length; i++) {
			if (Arrays.equals(bytes, i, i + searched.length, searched, 0, searched.length)) {
				return i;
			}
		}
		throw new IllegalStateException("No HTTP message: " + new String(bytes, StandardCharsets.ISO_8859_1));
	}

}
