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
package dev.idempotency.autoconfigure.guard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import dev.idempotency.aop.AnnotatedTypes;
import dev.idempotency.job.JobHandler;
import dev.idempotency.store.IdempotencyStore;

/**
 * The use of the library by the application. Until its first use, the beans of the
 * library are lazy, and those that Spring would request anyway are removed: no table is
 * created, nothing is logged, and an unsupported database or an ambiguous transaction
 * manager does not matter.
 * <p>
 * Bean definitions reveal most uses. A class that is hidden behind the return type of a
 * factory method, and an injected bean such as {@code IdempotencyOperations}, are only
 * detected when all singletons exist.
 */
public final class LibraryUse implements BeanFactoryPostProcessor, LazyInitializationExcludeFilter {

	private final AnnotatedTypes types;

	private final Map<String, BeanDefinition> workers = new LinkedHashMap<>();

	private final List<String> waiting = new ArrayList<>();

	/**
	 * The start-up checks that were made.
	 */
	private final Set<String> checked = ConcurrentHashMap.newKeySet();

	private boolean inUse = true;

	private volatile boolean started;

	LibraryUse(AnnotatedTypes types) {
		this.types = types;
	}

	/**
	 * Ahead-of-time processing keeps all definitions: they are examined again when the
	 * application starts.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (Boolean.getBoolean("spring.aot.processing") || isUsed(beanFactory)
				|| !(beanFactory instanceof BeanDefinitionRegistry registry)) {
			return;
		}
		this.inUse = false;
		for (String name : beanFactory.getBeanDefinitionNames()) {
			BeanDefinition definition = beanFactory.getBeanDefinition(name);
			if (!LibraryBeans.isOwn(definition) || definition.getRole() == BeanDefinition.ROLE_INFRASTRUCTURE) {
				continue;
			}
			definition.setLazyInit(true);
			Class<?> type = beanFactory.getType(name, false);
			if (type != null && LibraryBeans.isWorker(type)) {
				this.workers.put(name, definition);
			}
			else {
				this.waiting.add(name);
			}
		}
		this.workers.keySet().forEach(registry::removeBeanDefinition);
	}

	/**
	 * Keeps {@code spring.main.lazy-initialization} from making beans of the library
	 * lazy: their checks belong to the start, and workers that are created after it would
	 * never be started.
	 */
	@Override
	public boolean isExcluded(String name, BeanDefinition definition, Class<?> type) {
		return LibraryBeans.isOwn(definition);
	}

	private boolean isUsed(ConfigurableListableBeanFactory beanFactory) {
		Environment environment = beanFactory.getBean(Environment.class);
		if (environment.getProperty("idempotency.outbox.enabled", Boolean.class, false)) {
			return true;
		}
		for (String name : beanFactory.getBeanNamesForType(Object.class, true, false)) {
			if (beanFactory.containsBeanDefinition(name) && LibraryBeans.isOwn(beanFactory.getBeanDefinition(name))) {
				continue;
			}
			Class<?> type = beanFactory.getType(name, false);
			if (type != null && (IdempotencyStore.class.isAssignableFrom(type)
					|| JobHandler.class.isAssignableFrom(type) || !this.types.of(type).operations().isEmpty())) {
				return true;
			}
		}
		return false;
	}

	boolean isInUse() {
		return this.inUse;
	}

	/**
	 * Records that all singletons of the application exist.
	 */
	void onStarted(ConfigurableListableBeanFactory beanFactory) {
		this.waiting.stream().filter(beanFactory::containsSingleton).forEach(this.checked::add);
		this.started = true;
	}

	/**
	 * Returns whether others may be holding connections: the application has started, or
	 * a transaction is open already.
	 */
	public boolean isRunning() {
		return this.started || TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Returns whether the application has started without any use of the library, which
	 * begins now.
	 */
	public boolean isBeginningLate() {
		return !this.inUse && isRunning();
	}

	/**
	 * Replays the missed start of the library, as if it had been in use from the
	 * beginning. Spring is notifying all beans, in the order of their definitions, that
	 * the singletons exist, and has reached the caller.
	 * @param caller the name of the bean that calls
	 */
	void begin(ConfigurableListableBeanFactory beanFactory, String caller) {
		beginWorkers(beanFactory);
		List<String> order = List.of(beanFactory.getBeanDefinitionNames());
		int reached = order.indexOf(caller);
		for (String name : this.waiting) {
			boolean late = !beanFactory.containsSingleton(name) && order.indexOf(name) < reached;
			if (beanFactory.getBean(name) instanceof SmartInitializingSingleton singleton && late) {
				singleton.afterSingletonsInstantiated();
			}
		}
	}

	/**
	 * Makes the missed start-up checks for a bean that gives access to the records in a
	 * running context. A check that fails is repeated for the next such bean.
	 */
	void checkLate(ConfigurableListableBeanFactory beanFactory) {
		for (String name : this.waiting) {
			if (!this.checked.contains(name) && beanFactory.isTypeMatch(name, SmartInitializingSingleton.class)) {
				beanFactory.getBean(name, SmartInitializingSingleton.class).afterSingletonsInstantiated();
				this.checked.add(name);
			}
		}
	}

	/**
	 * Starts the workers when the engine is first requested in a running context.
	 */
	void beginLate(ConfigurableListableBeanFactory beanFactory) {
		for (String name : beginWorkers(beanFactory)) {
			if (beanFactory.getBean(name) instanceof SmartLifecycle lifecycle && lifecycle.isAutoStartup()) {
				lifecycle.start();
			}
		}
	}

	private List<String> beginWorkers(ConfigurableListableBeanFactory beanFactory) {
		this.inUse = true;
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
		List<String> names = List.copyOf(this.workers.keySet());
		this.workers.forEach(registry::registerBeanDefinition);
		this.workers.clear();
		for (String name : names) {
			Object bean = beanFactory.getBean(name);
			if (ClassUtils.isPresent("org.springframework.boot.health.registry.HealthContributorRegistry",
					beanFactory.getBeanClassLoader())) {
				LateHealth.register(beanFactory, bean);
			}
		}
		return names;
	}

	/**
	 * Registers the health of a library that is first used after the registry was filled.
	 */
	private static final class LateHealth {

		private static final String NAME = "idempotency";

		private LateHealth() {
		}

		static void register(ConfigurableListableBeanFactory beanFactory, Object bean) {
			HealthContributorRegistry registry = beanFactory.getBeanProvider(HealthContributorRegistry.class)
				.getIfAvailable();
			if (registry != null && bean instanceof HealthContributor health && registry.getContributor(NAME) == null) {
				registry.registerContributor(NAME, health);
			}
		}

	}

}
