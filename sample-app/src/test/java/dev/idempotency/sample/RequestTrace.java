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

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameMatches;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;

/**
 * The calls of the library's methods and constructors while a request is answered, on the
 * thread that answers it.
 */
public final class RequestTrace implements AutoCloseable {

	private static final List<Entry> ENTRIES = new CopyOnWriteArrayList<>();

	private final Instrumentation instrumentation = ByteBuddyAgent.install();

	private final ClassFileTransformer transformer = new AgentBuilder.Default().disableClassFormatChanges()
		.with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
		.type(nameStartsWith("dev.idempotency.")
			.and(not(nameMatches("dev\\.idempotency\\.(sample|provider|test)\\..*"))))
		.transform((builder, type, loader, module, domain) -> builder
			.visit(Advice.to(Recorder.class).on(isMethod().and(not(isAbstract())).or(isConstructor()))))
		.installOn(this.instrumentation);

	/**
	 * Returns the path of a request.
	 * @param request sends the request and waits for its answer
	 */
	Path of(Runnable request) {
		ENTRIES.clear();
		request.run();
		List<Entry> all = List.copyOf(ENTRIES);
		long thread = all.stream()
			.filter((entry) -> entry.type().endsWith(".IdempotencyInterceptor"))
			.findFirst()
			.orElseThrow()
			.thread();
		List<String> types = all.stream().filter((entry) -> entry.thread() == thread).map(Entry::topLevelType).toList();
		return new Path(types.stream().distinct().toList(), types.size());
	}

	public static void enter(String type) {
		ENTRIES.add(new Entry(Thread.currentThread().getId(), type));
	}

	@Override
	public void close() {
		((ResettableClassFileTransformer) this.transformer).reset(this.instrumentation,
				AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
	}

	/**
	 * The path of a request.
	 *
	 * @param files the files, in the order in which they are first entered
	 * @param calls the number of calls
	 */
	record Path(List<String> files, int calls) {
	}

	private record Entry(long thread, String type) {

		String topLevelType() {
			int nested = this.type.indexOf('$');
			return (nested < 0) ? this.type : this.type.substring(0, nested);
		}

	}

	/**
	 * Copied into each method.
	 */
	static final class Recorder {

		private Recorder() {
		}

		@Advice.OnMethodEnter
		static void enter(@Advice.Origin("#t") String type) {
			RequestTrace.enter(type);
		}

	}

}
