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
package dev.idempotency.autoconfigure;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import dev.idempotency.engine.transaction.ThreadGuard;
import dev.idempotency.logging.LogEvent;

/**
 * The transaction managers of an application other than that of the records. Changes that
 * one of them commits are not committed with the record.
 *
 * @param names the names of all transaction managers
 * @param beanFactory the beans of the application
 */
record OtherTransactionManagers(List<String> names, ListableBeanFactory beanFactory) {

	private static final Log logger = LogFactory.getLog(OtherTransactionManagers.class);

	static OtherTransactionManagers of(ListableBeanFactory beanFactory) {
		return new OtherTransactionManagers(
				List.of(beanFactory.getBeanNamesForType(PlatformTransactionManager.class, false, false)), beanFactory);
	}

	/**
	 * Logs the selected manager if the application has not named it.
	 */
	void requireChoice(PlatformTransactionManager selected, boolean named) {
		if (named || this.names.size() < 2) {
			return;
		}
		String taken = this.names.stream()
			.filter((name) -> this.beanFactory.getBean(name) == selected)
			.findFirst()
			.orElse("the primary one");
		LogEvent.TRANSACTION_MANAGER_ASSUMED.log(logger,
				"The transaction managers are " + String.join(", ", this.names)
						+ ", and the records go to the database of the primary one, " + taken
						+ ". Set idempotency.transaction-manager=" + taken + " if that is the one of the business "
						+ "rows, otherwise to the name of another one");
	}

	/**
	 * Reports commits of the others within a protected request.
	 */
	void watch(PlatformTransactionManager selected, ThreadGuard guard) {
		for (String name : this.names) {
			if (this.beanFactory.getBean(name) instanceof ConfigurableTransactionManager other && other != selected) {
				other.addListener(guard.foreignListener(name));
			}
		}
	}

}
