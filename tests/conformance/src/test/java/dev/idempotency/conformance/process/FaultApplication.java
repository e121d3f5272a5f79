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
package dev.idempotency.conformance.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import jakarta.servlet.http.HttpServletResponse;

import dev.idempotency.Idempotent;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.testsupport.TestDatabase;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that stops at the named {@link FaultPoint}. In a separate process it is
 * started by {@link FaultyNode}; a test may also start its {@link Payments} in this JVM,
 * as the node that the retry goes to.
 */
public final class FaultApplication {

	/**
	 * The property that names the point.
	 */
	public static final String FAULT_PROPERTY = "conformance.fault";

	/**
	 * A line of a response that is larger than what is kept in memory.
	 */
	public static final String STATEMENT = "a readable line of a statement";

	private static final int STATEMENT_LINES = 100_000;

	static final String STARTED = "STARTED on ";

	static final String REACHED = "REACHED ";

	private FaultApplication() {
	}

	/**
	 * Runs the application.
	 * @param arguments address, user and password of the database, then properties
	 */
	public static void main(String[] arguments) {
		TestDatabase database = new TestDatabase(arguments[0], arguments[1], arguments[2]);
		List<String> properties = new ArrayList<>(List.of(arguments).subList(3, arguments.length));
		RunningApplication application = RunningApplication.start(database, List.of(Payments.class),
				properties.toArray(new String[0]));
		tell(STARTED + application.port());
	}

	static void tell(String line) {
		System.out.println(line);
	}

	/**
	 * One payment, and what may happen on the way.
	 */
	@RestController
	public static class Payments {

		private final Effects effects;

		private final FaultPoint fault;

		Payments(Effects effects, @Value("${" + FAULT_PROPERTY + ":NONE}") FaultPoint fault) {
			this.effects = effects;
			this.fault = fault;
		}

		@Idempotent
		@PostMapping("/payments")
		@ResponseStatus(HttpStatus.CREATED)
		Map<String, Object> pay(@RequestBody Labelled payment) {
			// Flushes: what is killed has written.
			Map<String, Object> answer = Map.of("id", this.effects.recordAndFlush(payment.label()).getId());
			if (this.fault == FaultPoint.IN_HANDLER) {
				tell(REACHED + this.fault);
				LockSupport.park();
			}
			if (this.fault == FaultPoint.AFTER_COMMIT) {
				TransactionSynchronizationManager.registerSynchronization(new HaltAfterCommit());
			}
			return answer;
		}

		/**
		 * Writes three times the largest response that can be stored.
		 */
		@Idempotent
		@PostMapping("/statements")
		void write(HttpServletResponse response) throws IOException {
			String statement = (STATEMENT + "\n").repeat(STATEMENT_LINES);
			response.getOutputStream().write(statement.getBytes(StandardCharsets.US_ASCII));
			if (this.fault == FaultPoint.IN_LARGE_RESPONSE) {
				tell(REACHED + this.fault);
				LockSupport.park();
			}
		}

	}

	/**
	 * Pulls the plug when the commit is durable and nothing was sent.
	 */
	private static final class HaltAfterCommit implements TransactionSynchronization {

		@Override
		public void afterCommit() {
			tell(REACHED + FaultPoint.AFTER_COMMIT);
			Runtime.getRuntime().halt(FaultyNode.HALTED);
		}

	}

}
