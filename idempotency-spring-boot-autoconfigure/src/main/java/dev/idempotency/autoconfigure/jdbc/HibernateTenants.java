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
package dev.idempotency.autoconfigure.jdbc;

import org.hibernate.engine.spi.SessionFactoryImplementor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

import dev.idempotency.engine.identity.CallerAccounts.TenantSource;

/**
 * Hibernate's tenant of the current thread, for applications that separate tenants by
 * databases, schemas or {@code @TenantId}.
 */
final class HibernateTenants implements TenantSource {

	private final SingletonSupplier<SessionFactoryImplementor> sessions;

	HibernateTenants(ObjectProvider<BusinessDatabase> databases, JpaTransactionResources transactions) {
		this.sessions = SingletonSupplier.ofNullable(() -> {
			BusinessDatabase database = databases.getIfAvailable();
			return (database != null && transactions.supports(database.transactionManager()))
					? transactions.entityManagerFactory(database.transactionManager())
						.unwrap(SessionFactoryImplementor.class)
					: null;
		});
	}

	@Override
	public String current() {
		SessionFactoryImplementor factory = this.sessions.get();
		if (factory == null || factory.getCurrentTenantIdentifierResolver() == null) {
			return "";
		}
		Object tenant = factory.getCurrentTenantIdentifierResolver().resolveCurrentTenantIdentifier();
		return (tenant != null) ? factory.getTenantIdentifierJavaType().toString(tenant) : "";
	}

}
