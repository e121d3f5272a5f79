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

import java.math.BigInteger;

/**
 * The canonical spelling of a JSON number (RFC 8259, section 6), exact and without
 * writing the number out: {@code 1e1000000000} costs as much as {@code 1}.
 */
final class CanonicalNumber {

	private static final String ZERO = "0";

	private CanonicalNumber() {
	}

	/**
	 * Returns {@code 0}, or sign, digits that neither begin nor end with zero, {@code e},
	 * and the power of ten of the last digit.
	 * @param number a well-formed JSON number
	 * @return the canonical spelling
	 */
	static String of(String number) {
		int start = (number.charAt(0) == '-') ? 1 : 0;
		int exponentMark = Math.max(number.indexOf('e'), number.indexOf('E'));
		int end = (exponentMark < 0) ? number.length() : exponentMark;
		int point = number.indexOf('.');
		String digits = (point < 0) ? number.substring(start, end)
				: number.substring(start, point) + number.substring(point + 1, end);
		int last = digits.length();
		while (last > 0 && digits.charAt(last - 1) == '0') {
			last--;
		}
		if (last == 0) {
			return ZERO;
		}
		int first = 0;
		while (digits.charAt(first) == '0') {
			first++;
		}
		int fraction = (point < 0) ? 0 : end - point - 1;
		int power = digits.length() - last - fraction;
		String exponent = (exponentMark < 0) ? Integer.toString(power)
				: new BigInteger(number.substring(exponentMark + 1)).add(BigInteger.valueOf(power)).toString();
		return ((start == 1) ? "-" : "") + digits.substring(first, last) + 'e' + exponent;
	}

}
