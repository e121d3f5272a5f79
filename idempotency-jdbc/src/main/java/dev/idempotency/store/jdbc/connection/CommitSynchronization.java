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
package dev.idempotency.store.jdbc.connection;

import java.util.List;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Sends the record and the COMMIT of its transaction in one message:
 * <ol>
 * <li>Spring calls it last before the commit: it is registered last, with the lowest
 * precedence.</li>
 * <li>Callbacks before completion come after it and could still write: if a
 * synchronization of the application has one, the record is sent before the commit as a
 * separate statement.</li>
 * <li>A statement that fails ends the message: the server does not reach the COMMIT, and
 * Spring rolls back.</li>
 * <li>The commit that Spring asks for afterwards finds no open transaction, and the
 * driver sends nothing.</li>
 * </ol>
 *
 * @param insertAndCommit sends the message
 */
record CommitSynchronization(Runnable insertAndCommit) implements TransactionSynchronization {

	/**
	 * Synchronizations that release connections and sessions at that time.
	 */
	private static final List<String> HARMLESS = List.of("org.springframework.jdbc.", "org.mybatis.spring.");

	/**
	 * Attaches a record to the commit of the current transaction.
	 * @param insertAndCommit sends the message
	 * @return {@code false} if it cannot be attached
	 */
	static boolean register(Runnable insertAndCommit) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.allMatch(CommitSynchronization::isQuietBeforeCompletion)) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new CommitSynchronization(insertAndCommit));
		return true;
	}

	private static boolean isQuietBeforeCompletion(TransactionSynchronization synchronization) {
		Class<?> type = synchronization.getClass();
		var method = ReflectionUtils.findMethod(type, "beforeCompletion");
		return (method != null && method.getDeclaringClass() == TransactionSynchronization.class)
				|| HARMLESS.stream().anyMatch(type.getName()::startsWith);
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		this.insertAndCommit.run();
	}

}
