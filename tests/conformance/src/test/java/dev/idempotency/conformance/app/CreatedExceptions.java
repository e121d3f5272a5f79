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

package dev.idempotency.conformance.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The exceptions that the library creates, by the events of the Flight Recorder.
 */
public final class CreatedExceptions {

	private static final String EVENT = "jdk.JavaExceptionThrow";

	private static final String LIBRARY = "dev.idempotency.";

	private static final String TESTS = LIBRARY + "conformance.";

	private CreatedExceptions() {
	}

	/**
	 * Runs work, and returns where the library has created an exception meanwhile.
	 * @param work the work
	 * @return the methods
	 */
	public static List<String> during(Runnable work) {
		List<String> creators = creators(() -> {
			work.run();
			new IllegalStateException("Seen by the recorder");
		});
		assertThat(creators).contains(CreatedExceptions.class.getName() + ".lambda$during$0");
		return creators.stream().filter((method) -> method.startsWith(LIBRARY) && !method.startsWith(TESTS)).toList();
	}

	private static List<String> creators(Runnable work) {
		try (Recording recording = new Recording()) {
			recording.enable(EVENT).withoutThreshold().withStackTrace();
			recording.start();
			work.run();
			recording.stop();
			Path file = Files.createTempFile("exceptions-", ".jfr");
			try {
				recording.dump(file);
				return RecordingFile.readAllEvents(file).stream().map(CreatedExceptions::creator).toList();
			}
			finally {
				Files.delete(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the method that called the constructor.
	 */
	private static String creator(RecordedEvent event) {
		return event.getStackTrace()
			.getFrames()
			.stream()
			.map(RecordedFrame::getMethod)
			.filter((method) -> !method.getName().equals("<init>"))
			.findFirst()
			.map((method) -> method.getType().getName() + "." + method.getName())
			.orElse("");
	}

}
