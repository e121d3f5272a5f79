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
package dev.idempotency.messaging;

/**
 * The manual settlement of a message by its listener. It is kept until the transaction of
 * the record has ended.
 */
interface ListenerSettlement {

	/**
	 * The settlement of containers that acknowledge automatically.
	 */
	ListenerSettlement NONE = (index) -> false;

	/**
	 * Returns whether the listener gave a message back, so that it must not be recorded.
	 * @param index its place among the messages that the listener was given
	 * @return whether it will be delivered again, or goes to a dead-letter queue
	 */
	boolean isRefused(int index);

}
