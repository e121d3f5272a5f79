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

import java.util.Objects;

import com.github.kagkarlsson.scheduler.task.Execution;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import dev.idempotency.IdempotencyNotification.JobDied;
import dev.idempotency.IdempotencyNotification.JobFailed;
import dev.idempotency.engine.ErrorNames;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.job.JobType;
import dev.idempotency.logging.LogEvent;

/**
 * Decides the fate of a failed job: it is tried again later, or moved to the dead ones.
 */
record JobFailures(JobTable table, JobScheduler.Settings settings, NotificationPublisher notifications) {

	private static final Log logger = LogFactory.getLog(JobFailures.class);

	/**
	 * Records a failed attempt. An attempt whose node was lost has failed, too: a job
	 * that crashes its node must not run forever.
	 * @param failure the handler's exception, {@code null} for a lost node
	 */
	void failed(JobType<?> type, Execution attempt, @Nullable Throwable failure) {
		int attempts = attempt.consecutiveFailures + 1;
		if (attempts >= this.settings.maxAttempts()) {
			if (this.table.bury(attempt, type, attempts,
					Objects.requireNonNullElse(ErrorNames.of(failure), "the node that ran it was lost"))) {
				LogEvent.JOB_DEAD.log(logger, "Job " + attempt.getId() + " of the type " + type.name()
						+ " is dead after attempt " + attempts + "; it is kept until it is retried or discarded");
				this.notifications.publish(new JobFailed(type.operation(), attempts));
				this.notifications.publish(new JobDied(type.operation(), attempts));
			}
		}
		else if (this.table.postpone(attempt, this.settings.backoff().after(attempts), attempts)) {
			this.notifications.publish(new JobFailed(type.operation(), attempts));
		}
	}

	/**
	 * Postpones a job that another node is still running: that is no failure of this
	 * attempt.
	 */
	void refused(Execution attempt) {
		this.table.postpone(attempt, this.settings.backoff().initial(), attempt.consecutiveFailures);
	}

}
