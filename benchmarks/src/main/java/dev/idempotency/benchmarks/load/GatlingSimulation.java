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

package dev.idempotency.benchmarks.load;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.gatling.app.Gatling;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;

import dev.idempotency.benchmarks.app.Payments;

import static io.gatling.javaapi.core.CoreDsl.ByteArrayBody;
import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * Payments by Gatling's users, in a separate JVM. {@link GatlingLoad} says on the
 * standard input what to send and for how long, and reads from the standard output what
 * was measured.
 */
public final class GatlingSimulation extends Simulation {

	static final String PORT = "generator.port";

	static final String USERS = "generator.users";

	static final String RECORDS = "generator.records";

	private static final String BEGUN = "begun";

	private static final String ABSENT = "absent";

	private final String run = UUID.randomUUID() + "-";

	private final AtomicLong next = new AtomicLong();

	private final long records = Long.getLong(RECORDS, 0);

	private volatile GatlingSlice slice = new GatlingSlice(false, "", Duration.ZERO);

	private volatile boolean stopped;

	/**
	 * Describes the load. Gatling creates the instance.
	 */
	public GatlingSimulation() {
		var users = scenario("payments").exec(asLongAs((session) -> !this.stopped)
			.on(doIfOrElse((session) -> this.slice.begin()).then(payment()).orElse(pause(Duration.ofMillis(1)))));
		setUp(users.injectOpen(atOnceUsers(Integer.getInteger(USERS, 1))))
			.protocols(http.baseUrl("http://127.0.0.1:" + Integer.getInteger(PORT)).disableWarmUp().disableCaching());
	}

	private ChainBuilder payment() {
		return exec((session) -> session.set(BEGUN, System.nanoTime()))
			.exec(http("payment").post((session) -> this.slice.path())
				.header("X-Account", Variant.ONE_ACCOUNT)
				.header("Idempotency-Key", (session) -> key())
				.header("Content-Type", Workload.PAYMENT.contentType())
				.body(ByteArrayBody(Workload.PAYMENT.body()))
				.check(status().is(201),
						header("Idempotent-Replayed").withDefault(ABSENT)
							.is((session) -> this.slice.replays() ? "true" : ABSENT)))
			.exec(this::ended);
	}

	private Session ended(Session session) {
		this.slice.end(System.nanoTime() - session.getLong(BEGUN), !session.isFailed());
		return session.markAsSucceeded();
	}

	private String key() {
		return this.slice.replays() ? RecordTable.key(ThreadLocalRandom.current().nextLong(this.records))
				: this.run + this.next.incrementAndGet();
	}

	@Override
	public void before() {
		new Thread(this::serve, "measurements").start();
	}

	private void serve() {
		try (var commands = new DataInputStream(System.in);
				var replies = new DataOutputStream(
						new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)))) {
			for (int replays = commands.read(); replays != -1; replays = commands.read()) {
				GatlingSlice current = new GatlingSlice(replays == 1, commands.readUTF(),
						Duration.ofNanos(commands.readLong()));
				this.slice = current;
				long[] latencies = current.await();
				replies.writeBoolean(current.failed());
				replies.writeLong(current.nanos());
				replies.writeInt(latencies.length);
				for (long latency : latencies) {
					replies.writeLong(latency);
				}
				replies.flush();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.stopped = true;
		}
	}

	/**
	 * Runs Gatling until the standard input ends.
	 */
	public static void main(String[] arguments) {
		// The output of Gatling must not be mixed with the replies
		System.setOut(System.err);
		Gatling.main(arguments);
	}

}
