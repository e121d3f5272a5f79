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
package dev.idempotency.engine.lease;

import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * A callback for the end of a commit that runs before all other such callbacks.
 *
 * @param ended runs once or twice when the commit has ended
 */
record CommitGuard(Runnable ended) implements TransactionSynchronization, PriorityOrdered {

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void afterCommit() {
		this.ended.run();
	}

	@Override
	public void afterCompletion(int status) {
		this.ended.run();
	}

}
