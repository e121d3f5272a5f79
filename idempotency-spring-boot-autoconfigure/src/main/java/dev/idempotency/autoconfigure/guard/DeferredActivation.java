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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.engine.IdempotencyEngine;
import dev.idempotency.engine.StartupCheck;
import dev.idempotency.job.JobHandler;
import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;
import dev.idempotency.store.IdempotencyStore;

/**
 * The use of the library by the application. Until its first use, the beans of the
 * library are lazy, and nothing requests them: no table is created, nothing is logged, no
 * worker is started, and an unsupported database or an ambiguous transaction manager does
 * not matter. They are created when all singletons of the application exist, if one of
 * these uses the library.
 */
public final class DeferredActivation
		implements BeanFactoryPostProcessor, LazyInitializationExcludeFilter, SmartLifecycle {

	private final List<String> waiting = new ArrayList<>();

	private final ObjectProvider<StartupReport> reports;

	private final ObjectProvider<IdempotencyReaper> reapers;

	private final ObjectProvider<IdempotencyCompleter> completers;

	/**
	 * The start-up checks that were made.
	 */
	private final Set<String> checked = ConcurrentHashMap.newKeySet();

	private volatile boolean inUse;

	private volatile boolean started;

	private final List<Lifecycle> workers = new ArrayList<>();

	private boolean reported;

	private boolean running;

	DeferredActivation(ObjectProvider<StartupReport> reports, ObjectProvider<IdempotencyReaper> reapers,
			ObjectProvider<IdempotencyCompleter> completers) {
		this.reports = reports;
		this.reapers = reapers;
		this.completers = completers;
	}

	/**
	 * Refuses invalid properties and missing modules before the web server starts, which
	 * would report a failure of its filters first. Ahead-of-time processing keeps all
	 * definitions as they are: they are examined again when the application starts.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		MissingModules.refuse(beanFactory);
		Stream.of(beanFactory.getBeanDefinitionNames())
			.filter(LibraryBeans::isProperties)
			.forEach(beanFactory::getBean);
		if (Boolean.getBoolean("spring.aot.processing")) {
			return;
		}
		for (String name : beanFactory.getBeanDefinitionNames()) {
			BeanDefinition definition = beanFactory.getBeanDefinition(name);
			if (LibraryBeans.isOwn(definition) && !definition.isLazyInit()
					&& definition.getRole() != BeanDefinition.ROLE_INFRASTRUCTURE) {
				definition.setLazyInit(true);
				if (!LibraryBeans.isConfiguration(definition)) {
					this.waiting.add(name);
				}
			}
		}
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

	/**
	 * Returns whether the application uses the library.
	 * @return {@code false} until the first use
	 */
	public boolean isInUse() {
		return this.inUse;
	}

	/**
	 * Creates the beans of the library and makes the start-up checks, if the application
	 * uses the library. All its singletons exist.
	 * @param annotated whether the class of any bean has annotated methods
	 */
	void begin(ConfigurableListableBeanFactory beanFactory, boolean annotated) {
		if (annotated || isUsed(beanFactory)) {
			this.inUse = true;
			this.waiting.forEach(beanFactory::getBean);
			check(beanFactory);
		}
		this.started = true;
	}

	/**
	 * Returns whether the application uses the library without annotations: by a store or
	 * a handler of jobs, by the outbox, or by access to the records.
	 */
	private static boolean isUsed(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.getBean(Environment.class).getProperty("idempotency.outbox.enabled", Boolean.class, false)
				|| Stream.of(IdempotencyStore.class, JobHandler.class)
					.flatMap((type) -> Stream.of(beanFactory.getBeanNamesForType(type, true, false)))
					.anyMatch((name) -> !LibraryBeans.isOwn(beanFactory, name))
				|| LibraryBeans.isEntered(beanFactory);
	}

	/**
	 * Returns whether others may be holding connections: the application has started, or
	 * a transaction is open already.
	 */
	public boolean isPoolInUse() {
		return this.started || TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Returns whether the application has started without any use of the library, which
	 * begins now.
	 */
	public boolean isBeginningLate() {
		return !this.inUse && isPoolInUse();
	}

	/**
	 * Begins the use of the library in a running context, with a bean that gives access
	 * to the records: it is checked first. The workers begin with the engine. A check
	 * that fails is repeated for the next such bean.
	 */
	void beginLate(ConfigurableListableBeanFactory beanFactory, Object created) {
		if (!this.started || this.inUse || !LibraryBeans.isEntry(created)) {
			return;
		}
		check(beanFactory);
		if (created instanceof IdempotencyEngine) {
			this.inUse = true;
			startWorkers();
		}
	}

	private void check(ConfigurableListableBeanFactory beanFactory) {
		for (String name : beanFactory.getBeanNamesForType(StartupCheck.class, true, false)) {
			if (!this.checked.contains(name)) {
				beanFactory.getBean(name, StartupCheck.class).check();
				this.checked.add(name);
			}
		}
	}

	/**
	 * Starts the workers with the application, if it uses the library.
	 */
	@Override
	public synchronized void start() {
		this.running = true;
		startWorkers();
	}

	/**
	 * Starts the reaper and the completer, after the reports of the library.
	 */
	private synchronized void startWorkers() {
		if (!this.running || !this.inUse) {
			return;
		}
		if (!this.reported) {
			this.reports.orderedStream().forEach(StartupReport::report);
			this.reported = true;
		}
		Stream.<Lifecycle>concat(this.reapers.stream(), this.completers.stream()).forEach((worker) -> {
			worker.start();
			this.workers.add(worker);
		});
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		this.workers.forEach(Lifecycle::stop);
		this.workers.clear();
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

}
