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
package dev.idempotency;

/**
 * A listener for notifications of protected operations. All beans of this type are
 * called, on the thread of the notification; an exception is logged and does not change
 * the outcome. Micrometer's meters are one listener.
 */
@FunctionalInterface
public interface IdempotencyListener {

	/**
	 * Handles a notification.
	 * @param notification the notification; it carries no key, body or principal
	 */
	void onNotification(IdempotencyNotification notification);

}
