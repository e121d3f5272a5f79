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

import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import dev.idempotency.logging.LogEvent;

/**
 * The targets of a routing data source that no {@code Shards} bean explains. Shards and
 * the replicas of one database cannot be distinguished, so that the application may start
 * with both.
 */
final class RoutingTargets {

	private static final Log logger = LogFactory.getLog(RoutingTargets.class);

	private RoutingTargets() {
	}

	/**
	 * Logs a warning if the data source, or one behind its proxies, routes to several
	 * others.
	 * @param dataSource the data source of the business rows, {@code null} if it is
	 * unknown
	 */
	static void report(@Nullable DataSource dataSource) {
		int targets = count(dataSource);
		if (targets > 1) {
			LogEvent.SHARDS_UNKNOWN.log(logger,
					"The DataSource of the business rows routes to " + targets
							+ " others, and no Shards bean lists them. Heartbeats, reaper, completer, staged jobs and "
							+ "outbox only reach the one that is selected without a request. If these are shards, "
							+ "declare a Shards bean: leased requests on the others may run twice, and their jobs and "
							+ "events never run. If they are one database and its replicas, declare a bean that "
							+ "returns Shards.ONE");
		}
	}

	private static int count(@Nullable DataSource dataSource) {
		try {
			if (dataSource == null || !dataSource.isWrapperFor(AbstractRoutingDataSource.class)) {
				return 1;
			}
			AbstractRoutingDataSource routing = dataSource.unwrap(AbstractRoutingDataSource.class);
			Set<DataSource> targets = new HashSet<>(routing.getResolvedDataSources().values());
			if (routing.getResolvedDefaultDataSource() != null) {
				targets.add(routing.getResolvedDefaultDataSource());
			}
			return targets.size();
		}
		catch (SQLException ex) {
			logger.debug("The targets of the DataSource are unknown", ex);
			return 1;
		}
	}

}
