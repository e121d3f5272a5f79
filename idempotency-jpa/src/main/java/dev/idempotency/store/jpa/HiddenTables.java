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

import org.hibernate.boot.model.relational.Namespace;
import org.hibernate.boot.model.relational.Sequence;
import org.hibernate.mapping.Table;
import org.hibernate.tool.schema.internal.DefaultSchemaFilterProvider;
import org.hibernate.tool.schema.spi.SchemaFilter;
import org.hibernate.tool.schema.spi.SchemaFilterProvider;
import org.jspecify.annotations.Nullable;

/**
 * Hides the table of the mapped entity from Hibernate's tools for schemas: they would
 * create it without its index, change its columns, and drop it at shutdown. For
 * everything else the application's filter applies.
 */
final class HiddenTables implements SchemaFilterProvider {

	private final SchemaFilterProvider others;

	/**
	 * Creates a filter.
	 * @param others the application's own filter; {@code null} if it has none
	 */
	HiddenTables(@Nullable SchemaFilterProvider others) {
		this.others = (others != null) ? others : DefaultSchemaFilterProvider.INSTANCE;
	}

	@Override
	public SchemaFilter getCreateFilter() {
		return hide(this.others.getCreateFilter());
	}

	@Override
	public SchemaFilter getDropFilter() {
		return hide(this.others.getDropFilter());
	}

	@Override
	public SchemaFilter getTruncatorFilter() {
		return hide(this.others.getTruncatorFilter());
	}

	@Override
	public SchemaFilter getMigrateFilter() {
		return hide(this.others.getMigrateFilter());
	}

	@Override
	public SchemaFilter getValidateFilter() {
		return hide(this.others.getValidateFilter());
	}

	private SchemaFilter hide(SchemaFilter filter) {
		return new SchemaFilter() {

			@Override
			public boolean includeNamespace(Namespace namespace) {
				return filter.includeNamespace(namespace);
			}

			@Override
			public boolean includeTable(Table table) {
				return !table.getName().equalsIgnoreCase(IdempotencyRecord.TABLE) && filter.includeTable(table);
			}

			@Override
			public boolean includeSequence(Sequence sequence) {
				return filter.includeSequence(sequence);
			}

		};
	}

}
