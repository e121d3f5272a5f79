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
package dev.idempotency.autoconfigure.job;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.Scheduler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.autoconfigure.ExecutionProperties;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.guard.EnforcementImport;
import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.autoconfigure.jdbc.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.NotificationPublisher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.job.dbscheduler.JobScheduler;

/**
 * Staged jobs on a dedicated db-scheduler. It is not a bean: if the application has
 * db-scheduler's starter, its own scheduler is the only one.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "idempotency.job.enabled", matchIfMissing = true)
@ConditionalOnClass({ Scheduler.class, JdbcClient.class, JobScheduler.class })
@ConditionalOnBean({ DataSource.class, IdempotencyEngine.class, BusinessDatabase.class })
@ConditionalOnMissingBean(StagedJobs.class)
@EnableConfigurationProperties({ JobProperties.class, ExecutionProperties.class })
@Import(EnforcementImport.class)
public final class IdempotencyJobAutoConfiguration {

	/**
	 * The scheduler. Its declared type has no life cycle, so that it is not created
	 * before its first use. Once it exists, Spring starts and stops it by its class.
	 */
	@Bean
	@DependsOnDatabaseInitialization
	StagedJobs idempotencyStagedJobs(BusinessDatabase database, ObjectProvider<JobHandler<?>> handlers,
			IdempotencyOperations operations, NotificationPublisher notifications, ObjectProvider<JsonMapper> mapper,
			ContentCodec codec, IdentityFactory identities, JobProperties job, ExecutionProperties execution) {
		return new JobScheduler(database.joinedTransaction(), database.kind(),
				new TransactionTemplate(database.transactionManager()), handlers, operations, notifications,
				mapper.getIfAvailable(JsonMapper::shared), codec, new JobScheduler.Settings(identities.namespace(),
						job.threads(), job.pollingInterval(), execution.leaseDuration(), job.maxAttempts()));
	}

}
