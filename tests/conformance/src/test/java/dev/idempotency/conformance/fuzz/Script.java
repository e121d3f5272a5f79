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

package dev.idempotency.conformance.fuzz;

/**
 * The query of a request that tells a handler what to do.
 *
 * @param label the label of the request's row, and its name in {@link Executions}
 * @param ending the end of the first attempt
 * @param point the point at which it fails
 * @param writes the kind of write
 * @param place the place of the write
 * @param answering the way of answering
 */
record Script(String label, Ending ending, Point point, Writes writes, Place place, Answering answering) {

}
