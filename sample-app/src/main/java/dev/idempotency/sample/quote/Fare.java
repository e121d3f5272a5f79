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
package dev.idempotency.sample.quote;

/**
 * The fare of a flight: a base fare, and as much again for every degree. Rockets fly
 * straight.
 */
public final class Fare {

	private static final long PER_DEGREE_CENTS = 1_000;

	private Fare() {
	}

	/**
	 * The fare for a flight.
	 * @param originLat the latitude of the origin, in degrees
	 * @param originLon the longitude of the origin, in degrees
	 * @param targetLat the latitude of the target, in degrees
	 * @param targetLon the longitude of the target, in degrees
	 * @return US cents
	 */
	public static long cents(double originLat, double originLon, double targetLat, double targetLon) {
		double degrees = Math.hypot(targetLat - originLat, targetLon - originLon);
		return PER_DEGREE_CENTS + Math.round(degrees * PER_DEGREE_CENTS);
	}

}
