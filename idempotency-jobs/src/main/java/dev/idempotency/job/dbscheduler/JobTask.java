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
package dev.idempotency.job.dbscheduler;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent.Scope;
import dev.idempotency.account.Account;
import dev.idempotency.engine.Rethrow;
import dev.idempotency.exception.RequestInProgressException;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;

/**
 * Runs the jobs of one type as if their handler were annotated, with the job's id as key.
 * <ol>
 * <li>The engine begins a transaction and takes the key's lock: of two nodes that have
 * the job at once, because one was considered dead, the second does not begin.</li>
 * <li>The handler runs.</li>
 * <li>The job is removed, in the same transaction and by the version of this attempt. A
 * node that has lost the job removes nothing, and its effects are rolled back.</li>
 * <li>The engine writes its record and commits; a commit without a reply is resolved by
 * that record.</li>
 * </ol>
 * Since the job is removed with the commit of its effects, it does not depend on the
 * retention of records.
 */
final class JobTask<T> extends OneTimeTask<byte[]> {

	private final JobHandler<T> handler;

	private final IdempotencyOperations operations;

	private final PayloadFormat payloads;

	private final JobTable table;

	private final JobFailures failures;

	JobTask(String name, JobHandler<T> handler, IdempotencyOperations operations, PayloadFormat payloads,
			JobTable table, JobFailures failures) {
		super(name, byte[].class,
				(complete, ignored) -> failures.failed(handler.type(), complete.getExecution(),
						complete.getCause().orElse(null)),
				(complete, ignored) -> failures.failed(handler.type(), complete.getExecution(), null));
		this.handler = handler;
		this.operations = operations;
		this.payloads = payloads;
		this.table = table;
		this.failures = failures;
	}

	@Override
	public CompletionHandler<byte[]> execute(TaskInstance<byte[]> instance, ExecutionContext context) {
		AtomicBoolean began = new AtomicBoolean();
		try {
			execute(instance, context.getExecution(), began);
		}
		catch (RequestInProgressException ex) {
			if (began.get()) {
				// It belongs to another operation, which the handler has called.
				throw ex;
			}
			return (complete, ignored) -> this.failures.refused(context.getExecution());
		}
		return (complete, ignored) -> {
			// The job was removed with its effects.
		};
	}

	@Override
	public void executeOnce(TaskInstance<byte[]> instance, ExecutionContext context) {
		execute(instance, context);
	}

	private void execute(TaskInstance<byte[]> instance, Execution attempt, AtomicBoolean began) {
		JobType<T> type = this.handler.type();
		T payload = this.payloads.read(UUID.fromString(instance.getId()), type, instance.getData());
		IdempotencyRequest request = IdempotencyRequest.of(type.operation(), instance.getId())
			.withScope(Scope.ENDPOINT)
			.withAccount(Account.SHARED);
		this.operations.execute(request, Void.class, () -> {
			began.set(true);
			handle(payload);
			if (!this.table.remove(attempt)) {
				throw new IllegalStateException("Job " + attempt.getId() + " was given to another node, because this "
						+ "one sent no heartbeat; its effects on this node are rolled back");
			}
			return null;
		});
		if (!began.get()) {
			this.table.remove(attempt);
		}
	}

	/**
	 * Throws the handler's exception without a wrapper, so that it is the recorded
	 * failure.
	 */
	private void handle(T payload) {
		try {
			this.handler.handle(payload);
		}
		catch (Exception ex) {
			throw Rethrow.unchecked(ex);
		}
	}

}
