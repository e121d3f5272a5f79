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

import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Table;
import org.jspecify.annotations.Nullable;

import dev.idempotency.database.TableNames;

/**
 * Maps the entity to the table that the scripts create, regardless of the naming strategy
 * that the application's own entities follow.
 */
final class RecordMapping implements Integrator {

	private final TableNames names;

	RecordMapping(TableNames names) {
		this.names = names;
	}

	@Override
	public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor sessionFactory) {
		PersistentClass entity = metadata.getEntityBinding(IdempotencyRecord.class.getName());
		if (entity == null) {
			return;
		}
		Table table = entity.getTable();
		table.setName(IdempotencyRecord.TABLE);
		if (this.names.schema() != null) {
			table.setSchema(this.names.schema());
		}
		rename(entity.getIdentifierProperty());
		entity.getProperties().forEach(RecordMapping::rename);
	}

	private static void rename(@Nullable Property property) {
		if (property != null) {
			for (Column column : property.getColumns()) {
				column.setName(IdempotencyRecord.columnOf(property.getName()));
			}
		}
	}

}
