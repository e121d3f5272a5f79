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
package dev.idempotency.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.util.CollectionUtils;

import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.store.Identity;

/**
 * The steps of a request: the results of the completed ones, and the external calls that
 * were begun and have no result.
 *
 * @param results the results as JSON by the names of the steps, in the order of
 * completion
 * @param begun the names of the steps that were begun
 */
public record StepResults(Map<String, byte[]> results, Set<String> begun) {

	private static final byte VERSION = 2;

	public StepResults {
		results = Collections.unmodifiableMap(results);
		begun = Set.copyOf(begun);
	}

	StepResults with(String step, byte[] result) {
		Map<String, byte[]> all = new LinkedHashMap<>(this.results);
		all.put(step, result);
		return new StepResults(all, without(step).begun);
	}

	StepResults beginning(String step) {
		Set<String> all = new HashSet<>(this.begun);
		all.add(step);
		return new StepResults(this.results, all);
	}

	StepResults without(String step) {
		Set<String> others = new HashSet<>(this.begun);
		others.remove(step);
		return new StepResults(this.results, others);
	}

	/**
	 * Returns the step that was completed last, which is the recovery point.
	 */
	@Nullable String last() {
		return CollectionUtils.lastElement(this.results.keySet());
	}

	byte[] encode(ClaimRequest request, ContentCodec codec) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			out.writeShort(this.results.size());
			for (Map.Entry<String, byte[]> step : this.results.entrySet()) {
				out.writeUTF(step.getKey());
				out.writeInt(step.getValue().length);
				out.write(step.getValue());
			}
			out.writeShort(this.begun.size());
			for (String step : this.begun) {
				out.writeUTF(step);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return codec.encode(Purpose.STEPS, request.identity(), request.fingerprint().bytes(), bytes.toByteArray());
	}

	/**
	 * Reads results.
	 * @param identity the identity of the request
	 * @param fingerprint the fingerprint that is stored with them
	 * @param encoded the stored form, {@code null} if there is none
	 * @param codec decodes it
	 * @return the results
	 * @throws IllegalStateException if this version cannot read them
	 */
	public static StepResults decode(Identity identity, byte[] fingerprint, byte @Nullable [] encoded,
			ContentCodec codec) {
		Map<String, byte[]> results = new LinkedHashMap<>();
		Set<String> begun = new HashSet<>();
		if (encoded == null) {
			return new StepResults(results, begun);
		}
		byte[] decoded = codec.decode(Purpose.STEPS, identity, fingerprint, encoded);
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(decoded))) {
			if (in.readByte() != VERSION) {
				throw new IOException("Unknown format");
			}
			int count = in.readUnsignedShort();
			for (int i = 0; i < count; i++) {
				results.put(in.readUTF(), in.readNBytes(in.readInt()));
			}
			int open = in.readUnsignedShort();
			for (int i = 0; i < open; i++) {
				begun.add(in.readUTF());
			}
			return new StepResults(results, begun);
		}
		catch (IOException ex) {
			throw new IllegalStateException("The results of the steps cannot be read", ex);
		}
	}

}
