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

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The users of Gatling, in a separate JVM: its processor time is not that of the
 * application. They send small payments of one account, to one node.
 */
public final class GatlingLoad implements Load {

	private static final Path DIRECTORY = Path.of("target", "benchmarks");

	/**
	 * Unexpected results, and Gatling's own count of all requests.
	 */
	private static final Path LOG = DIRECTORY.resolve("gatling.log");

	private final UsageMeter meter;

	private final Process process;

	private final DataOutputStream commands;

	private final DataInputStream replies;

	private final List<Double> shares = new ArrayList<>();

	/**
	 * Starts Gatling.
	 * @param port the ports of the application
	 * @param users the number of users send at once
	 * @param records the number of keys to replay
	 * @param meter the time of application and database
	 */
	public GatlingLoad(int port, int users, long records, UsageMeter meter) throws IOException {
		this.meter = meter;
		Files.createDirectories(DIRECTORY);
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Djava.util.prefs.userRoot=" + DIRECTORY,
				"-D" + GatlingSimulation.PORT + "=" + port, "-D" + GatlingSimulation.USERS + "=" + users,
				"-D" + GatlingSimulation.RECORDS + "=" + records, "-cp", System.getProperty("java.class.path"),
				GatlingSimulation.class.getName(), "--simulation", GatlingSimulation.class.getName(), "--no-reports",
				"--results-folder", DIRECTORY.toString())
			.redirectError(LOG.toFile())
			.start();
		this.commands = new DataOutputStream(this.process.getOutputStream());
		this.replies = new DataInputStream(new BufferedInputStream(this.process.getInputStream()));
	}

	@Override
	public Sample run(Variant variant, Duration duration) {
		try {
			long generatorStart = UsageMeter.cpuNanos(this.process.toHandle());
			Usage before = this.meter.read();
			this.commands.writeByte(variant.expected().replayed() ? 1 : 0);
			this.commands.writeUTF(variant.path());
			this.commands.writeLong(duration.toNanos());
			this.commands.flush();
			boolean failed = this.replies.readBoolean();
			long nanos = this.replies.readLong();
			long[] latencies = new long[this.replies.readInt()];
			for (int i = 0; i < latencies.length; i++) {
				latencies[i] = this.replies.readLong();
			}
			if (failed) {
				throw new IllegalStateException(
						variant.name() + ": not all were " + variant.expected() + ", see " + LOG);
			}
			Sample sample = new Sample(latencies, nanos, this.meter.read().minus(before));
			this.shares.add((double) (UsageMeter.cpuNanos(this.process.toHandle()) - generatorStart)
					/ sample.usage().cpuNanos());
			return sample;
		}
		catch (EOFException ex) {
			throw new IllegalStateException("Gatling has ended, see " + LOG, ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The processor time of Gatling, divided by that of application and database
	 * together: the median of all runs, the first of which has Gatling's start in it.
	 */
	public double share() {
		return Spread.of(this.shares).median();
	}

	/**
	 * Gatling ends when its process has no more work.
	 */
	@Override
	public void close() throws IOException {
		this.commands.close();
		this.replies.close();
		this.process.onExit().join();
	}

}
