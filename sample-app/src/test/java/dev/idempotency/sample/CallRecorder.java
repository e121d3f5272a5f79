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
package dev.idempotency.sample;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Writes the class of each call on the threads that execute requests to the file that
 * {@value #FILE} names.
 */
public final class CallRecorder {

	static final String FILE = "trace.file";

	private static final PrintStream OUT = open();

	private CallRecorder() {
	}

	private static PrintStream open() {
		try {
			return new PrintStream(new FileOutputStream(System.getProperty(FILE)), true, UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Called by the library's methods and constructors when they begin.
	 */
	public static void record(String type) {
		if (Thread.currentThread().getName().contains("-exec-")) {
			OUT.println(type);
		}
	}

}
