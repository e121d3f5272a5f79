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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Actions of a test at places in a ride.
 */
public final class PhaseHook {

	private static final Map<String, Runnable> HOOKS = new ConcurrentHashMap<>();

	private static volatile Consumer<String> everywhere = (place) -> {
	};

	private PhaseHook() {
	}

	/**
	 * Runs an action at a place, the first time that the ride with a label reaches it.
	 */
	public static void once(String place, String label, Runnable action) {
		HOOKS.put(place + " " + label, action);
	}

	/**
	 * Runs an action at every place, in addition.
	 */
	public static void everywhere(Consumer<String> action) {
		everywhere = action;
	}

	static void at(String place, String label) {
		everywhere.accept(place);
		Runnable action = HOOKS.remove(place + " " + label);
		if (action != null) {
			action.run();
		}
	}

}
