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
import java.util.stream.Stream;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;

import dev.idempotency.maintenance.IdempotencyCompleter;
import dev.idempotency.maintenance.IdempotencyReaper;

/**
 * Starts the reaper and the completer with the application, and after the reports of the
 * library; if the application does not use the library, at its first use, or never.
 */
final class LibraryWorkers implements SmartLifecycle {

	private final DeferredActivation use;

	private final ObjectProvider<StartupReport> reports;

	private final ObjectProvider<IdempotencyReaper> reapers;

	private final ObjectProvider<IdempotencyCompleter> completers;

	private final List<Lifecycle> started = new ArrayList<>();

	private boolean reported;

	private boolean running;

	LibraryWorkers(DeferredActivation use, ObjectProvider<StartupReport> reports,
			ObjectProvider<IdempotencyReaper> reapers, ObjectProvider<IdempotencyCompleter> completers) {
		this.use = use;
		this.reports = reports;
		this.reapers = reapers;
		this.completers = completers;
	}

	@Override
	public synchronized void start() {
		this.running = true;
		startUsed();
	}

	/**
	 * Starts what the application uses from now on.
	 */
	synchronized void startUsed() {
		if (!this.running || !this.use.isInUse()) {
			return;
		}
		if (!this.reported) {
			this.reports.orderedStream().forEach(StartupReport::report);
			this.reported = true;
		}
		Stream.<Lifecycle>concat(this.reapers.stream(), this.completers.stream()).forEach((worker) -> {
			worker.start();
			this.started.add(worker);
		});
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		this.started.forEach(Lifecycle::stop);
		this.started.clear();
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

}
