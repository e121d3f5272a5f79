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

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares fingerprints.
 */
final class Fingerprints {

	private Fingerprints() {
	}

	static String of(FingerprintStrategy strategy, FingerprintSource source) {
		try {
			return HexFormat.of().formatHex(strategy.fingerprint(source));
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Returns the fingerprint of a strategy without configuration. */
	static String of(FingerprintSource source) {
		return of(new CanonicalFingerprint(List.of(), List.of()), source);
	}

	static void assertSame(FingerprintSource one, FingerprintSource other) {
		assertThat(of(one)).isEqualTo(of(other));
	}

	static void assertDifferent(FingerprintSource one, FingerprintSource other) {
		assertThat(of(one)).isNotEqualTo(of(other));
	}

}
