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
/**
 * Auto-configuration of the store in SQL, within the transactions of JDBC or JPA, and of
 * the library's tables: their migration and validation, and the check that they were
 * filled with the same secret.
 * <p>
 * Internal: may change at any time.
 */
@NullMarked
package dev.idempotency.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
