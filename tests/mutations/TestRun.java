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

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs test classes or single methods of them, written {@code Class} or
 * {@code Class#method}, and ends the JVM with the number that {@link Mutations} reads.
 */
final class TestRun {

	static final int PASSED = 0;

	static final int FAILED = 10;

	static final int NOT_RUN = 11;

	private TestRun() {
	}

	public static void main(String[] tests) {
		List<String> all = Arrays.asList(tests);
		List<DiscoverySelector> classes = new ArrayList<>();
		all.stream()
			.map((test) -> test.replaceAll("#.*", ""))
			.distinct()
			.forEach((test) -> classes.add(DiscoverySelectors.selectClass(test)));
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(classes)
			.filters((PostDiscoveryFilter) (test) -> FilterResult.includedIf(isNamed(test, all)))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		TestExecutionSummary summary = listener.getSummary();
		PrintWriter out = new PrintWriter(System.out, true);
		summary.getFailures().forEach((failure) -> {
			out.println("FAILED " + failure.getTestIdentifier().getDisplayName() + " "
					+ String.valueOf(failure.getException()).lines().limit(6).toList());
		});
		out.println("RESULT " + summary.getTestsFoundCount() + " found, " + summary.getTotalFailureCount() + " failed");
		if (summary.getTestsFoundCount() == 0 || summary.getTestsSkippedCount() > 0) {
			System.exit(NOT_RUN);
		}
		System.exit((summary.getTotalFailureCount() > 0) ? FAILED : PASSED);
	}

	private static boolean isNamed(TestDescriptor test, List<String> all) {
		Optional<MethodSource> method = test.getSource()
			.filter(MethodSource.class::isInstance)
			.map(MethodSource.class::cast);
		return method
			.map((source) -> all.contains(source.getClassName())
					|| all.contains(source.getClassName() + "#" + source.getMethodName()))
			.orElse(true);
	}

}
