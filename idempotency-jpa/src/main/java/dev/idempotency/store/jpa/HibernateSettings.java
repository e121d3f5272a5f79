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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.hibernate.cfg.SchemaToolingSettings;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.boot.spi.IntegratorProvider;
import org.hibernate.jpa.boot.spi.JpaSettings;
import org.hibernate.tool.schema.spi.SchemaFilterProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

import dev.idempotency.database.TableNames;

/**
 * The settings of Hibernate for the entity: a filter of schemas and a mapping, in
 * addition to those that the application has configured.
 *
 * @param names the names of the tables
 * @param classLoader loads configured classes
 */
public record HibernateSettings(TableNames names, @Nullable ClassLoader classLoader) {

	/**
	 * Adds the settings, after the application's own.
	 * @param properties the properties of the persistence unit
	 */
	public void addTo(Map<String, Object> properties) {
		properties.put(SchemaToolingSettings.HBM2DDL_FILTER_PROVIDER, new HiddenTables(
				find(properties, SchemaToolingSettings.HBM2DDL_FILTER_PROVIDER, SchemaFilterProvider.class)));
		IntegratorProvider others = find(properties, JpaSettings.INTEGRATOR_PROVIDER, IntegratorProvider.class);
		List<Integrator> integrators = new ArrayList<>((others != null) ? others.getIntegrators() : List.of());
		integrators.add(new RecordMapping(this.names));
		properties.put(JpaSettings.INTEGRATOR_PROVIDER, (IntegratorProvider) () -> List.copyOf(integrators));
	}

	/**
	 * Finds a configured object. Hibernate accepts instances, classes and class names.
	 */
	private <T> @Nullable T find(Map<String, Object> properties, String name, Class<T> type) {
		Object value = properties.get(name);
		if (value == null || value.equals("")) {
			return null;
		}
		if (type.isInstance(value)) {
			return type.cast(value);
		}
		Class<?> implementation = (value instanceof Class<?> given) ? given
				: ClassUtils.resolveClassName(value.toString(), this.classLoader);
		return type.cast(BeanUtils.instantiateClass(implementation));
	}

}
