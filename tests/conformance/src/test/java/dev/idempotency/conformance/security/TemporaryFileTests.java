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
package dev.idempotency.conformance.security;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.process.FaultApplication;
import dev.idempotency.conformance.process.FaultPoint;
import dev.idempotency.conformance.process.FaultyNode;

import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A response over the limit, which is not kept in memory, in the temporary folder of a
 * process.
 */
@Tag("processes")
class TemporaryFileTests {

	private static final int SIZE = 2 * 1024 * 1024;

	@Test
	@Tag("Y16")
	void ofALargeResponseNothingIsReadableAndNothingIsLeftByAKilledProcess(@TempDir Path folder) throws IOException {
		try (FaultyNode node = FaultyNode.start(MigratedDatabase.create(), FaultPoint.IN_LARGE_RESPONSE,
				Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder))) {
			CompletableFuture<HttpResponse<byte[]>> response = node.post(ALICE, "/statements", "y16",
					Labelled.json("y16"));
			node.awaitReached(FaultPoint.IN_LARGE_RESPONSE);
			assertThat(files(folder)).noneMatch(TemporaryFileTests::isReadable);
			Path descriptors = Path.of("/proc", String.valueOf(node.pid()), "fd");
			if (Files.isDirectory(descriptors)) {
				assertThat(open(descriptors, folder)).filteredOn((file) -> size(file) > SIZE)
					.isNotEmpty()
					.noneMatch(TemporaryFileTests::isReadable);
			}
			node.kill();
			assertThat(response).failsWithin(Duration.ofMinutes(1));
		}
		assertThat(files(folder)).noneMatch((file) -> file.getFileName().toString().startsWith("idempotency-"))
			.noneMatch(TemporaryFileTests::isReadable);
	}

	private static List<Path> files(Path folder) throws IOException {
		try (Stream<Path> all = Files.walk(folder)) {
			return all.filter(Files::isRegularFile).toList();
		}
	}

	/**
	 * Returns the open files of a process in a folder, including those that have no name
	 * any more.
	 */
	private static List<Path> open(Path descriptors, Path folder) throws IOException {
		try (Stream<Path> all = Files.list(descriptors)) {
			return all.filter((descriptor) -> target(descriptor).startsWith(folder.toString())).toList();
		}
	}

	private static String target(Path descriptor) {
		try {
			return Files.readSymbolicLink(descriptor).toString();
		}
		catch (IOException ex) {
			return "closed meanwhile";
		}
	}

	private static long size(Path file) {
		try {
			return Files.size(file);
		}
		catch (IOException ex) {
			return 0;
		}
	}

	private static boolean isReadable(Path file) {
		try {
			return Files.readString(file, StandardCharsets.ISO_8859_1).contains(FaultApplication.STATEMENT);
		}
		catch (IOException ex) {
			return false;
		}
	}

}
