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
package dev.idempotency.store.jpa;

/**
 * The statements for operators.
 *
 * @param overview counts what there is. Parameter: namespace. Result: (records, running,
 * waiting, stuck, age of the oldest in seconds, its operation)
 * @param countUnfinished counts requests of an account. Parameters: namespace, account
 * @param deleteUnfinished deletes requests of an account. Parameters: namespace, account
 * @param deleteFinished looks at records and deletes those of an account. Parameters: id
 * to go on from, limit, account, limit. Result: (deleted ids or null, last id or null)
 */
record OperatorDialect(String overview, String countUnfinished, String deleteUnfinished, String deleteFinished) {
}
