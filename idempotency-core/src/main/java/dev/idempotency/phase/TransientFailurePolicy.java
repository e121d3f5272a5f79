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
package dev.idempotency.phase;

/**
 * Distinguishes transient failures of external calls from rejections. A transient failure
 * leaves the outcome of the call unknown: it ends the request with 503 and leaves it
 * resumable, also if the handler catches it. Any other failure says that the call had no
 * effect; it is thrown to the handler, and from there to the application's exception
 * handling. Declare a bean to replace the default, for which lost and refused
 * connections, time-outs, the statuses 408, 409, 425, 429 and 5xx of Spring's clients,
 * and responses that these cannot read are transient, anywhere in the chain of causes.
 */
@FunctionalInterface
public interface TransientFailurePolicy {

	/**
	 * Returns whether a failure is transient.
	 * @param failure the exception of the call
	 * @return {@code false} only if the call had no effect and is not worth repeating
	 */
	boolean isTransient(Throwable failure);

}
