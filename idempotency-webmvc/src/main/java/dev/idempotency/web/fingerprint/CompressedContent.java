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
package dev.idempotency.web.fingerprint;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * Bodies that arrive compressed (RFC 9110 section 8.4). The level, the time in the header
 * and the implementation of the compressor differ between a request and its retry, and do
 * not reveal the meaning of the request.
 */
final class CompressedContent {

	private CompressedContent() {
	}

	/**
	 * Returns the unpacked body.
	 * @param content the body as it arrived
	 * @param encodings the values of {@code Content-Encoding}
	 * @param limit the largest number of bytes that are unpacked
	 * @return the body before it was compressed with gzip, or as it arrived if it was
	 * not, is not readable, or is larger than the limit
	 */
	public static byte[] unpack(byte[] content, List<String> encodings, int limit) {
		if (content.length == 0 || encodings.size() != 1 || !isGzip(encodings.get(0))) {
			return content;
		}
		try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(content), 8192)) {
			byte[] unpacked = in.readNBytes(limit);
			return (in.read() < 0) ? unpacked : content;
		}
		catch (IOException ex) {
			// A filter has unpacked it, or it is not compressed: its bytes distinguish
			// requests.
			return content;
		}
	}

	private static boolean isGzip(String encoding) {
		String name = encoding.trim().toLowerCase(Locale.ROOT);
		return name.equals("gzip") || name.equals("x-gzip");
	}

}
