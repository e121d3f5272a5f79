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
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.codec.ResponseCodec.Context.Purpose;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.store.Identity;

/**
 * The results of the steps of one request, in the order in which they were done, and
 * those of them that this run has reached.
 */
public final class StepResults {

	private static final byte VERSION = 1;

	private final Map<String, byte[]> results;

	private final Set<String> unvisited;

	/**
	 * The steps that were visited since the last failure of one.
	 */
	private final Set<String> reached;

	private StepResults(Map<String, byte[]> results, Set<String> reached) {
		this.reached = reached;
		this.results = results;
		this.unvisited = new LinkedHashSet<>(results.keySet());
	}

	/**
	 * The result of a step that is done.
	 * @return the result, or {@code null} if the step is still to be done
	 */
	byte @Nullable [] visit(String step) {
		this.unvisited.remove(step);
		return this.results.get(step);
	}

	/**
	 * Completed steps that this run has not reached: if it is about to execute another
	 * one, its program differs from the one that completed them.
	 */
	Set<String> unvisited() {
		return this.unvisited;
	}

	StepResults with(String step, byte[] result) {
		Map<String, byte[]> all = new LinkedHashMap<>(this.results);
		all.put(step, result);
		StepResults extended = new StepResults(all, this.reached);
		extended.unvisited.clear();
		return extended;
	}

	/**
	 * Does a step. If it fails, its caller may repeat those before it, too.
	 */
	<T extends @Nullable Object> T attempt(Supplier<T> work) {
		try {
			return work.get();
		}
		catch (RuntimeException | Error ex) {
			this.reached.clear();
			throw ex;
		}
	}

	/**
	 * Notes that a step is reached.
	 * @return {@code false} if it was reached since the last failure of a step
	 */
	boolean reach(String step) {
		return this.reached.add(step);
	}

	/**
	 * The same results, none of them reached.
	 */
	StepResults rewound() {
		return new StepResults(this.results, new HashSet<>());
	}

	/**
	 * The step that was done last, which is the recovery point.
	 */
	@Nullable String last() {
		String last = null;
		for (String step : this.results.keySet()) {
			last = step;
		}
		return last;
	}

	boolean isEmpty() {
		return this.results.isEmpty();
	}

	/**
	 * The results by the names of their steps, in the order in which they were done.
	 * @return the results, as JSON
	 */
	public Map<String, byte[]> asMap() {
		return Collections.unmodifiableMap(this.results);
	}

	byte[] encode(Call call, ResponseCodec codec) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeByte(VERSION);
			out.writeShort(this.results.size());
			for (Map.Entry<String, byte[]> step : this.results.entrySet()) {
				out.writeUTF(step.getKey());
				out.writeInt(step.getValue().length);
				out.write(step.getValue());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return codec.encode(context(call.identity(), call.fingerprint().bytes()), bytes.toByteArray());
	}

	/**
	 * Reads results.
	 * @param identity the identity of the request
	 * @param fingerprint the fingerprint that is stored with them
	 * @param encoded what was stored, {@code null} for nothing
	 * @param codec how it was encoded
	 * @return the results
	 * @throws IllegalStateException if this version cannot read them
	 */
	public static StepResults decode(Identity identity, byte[] fingerprint, byte @Nullable [] encoded,
			ResponseCodec codec) {
		Map<String, byte[]> results = new LinkedHashMap<>();
		if (encoded == null) {
			return new StepResults(results, new HashSet<>());
		}
		byte[] decoded = codec.decode(context(identity, fingerprint), encoded);
		try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(decoded))) {
			if (in.readByte() != VERSION) {
				throw new IOException("Unknown format");
			}
			int count = in.readUnsignedShort();
			for (int i = 0; i < count; i++) {
				results.put(in.readUTF(), in.readNBytes(in.readInt()));
			}
			return new StepResults(results, new HashSet<>());
		}
		catch (IOException ex) {
			throw new IllegalStateException("The results of the steps cannot be read", ex);
		}
	}

	private static ResponseCodec.Context context(Identity identity, byte[] fingerprint) {
		return ResponseCodec.Context.of(Purpose.STEPS, identity.digest(), fingerprint);
	}

}
