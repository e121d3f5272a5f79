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

import java.lang.instrument.Instrumentation;

import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;

/**
 * Adds the recorder to the methods and constructors of the library, in a process that is
 * started with this agent.
 */
public final class CallAgent {

	private CallAgent() {
	}

	/**
	 * Called by the virtual machine before the main class.
	 */
	public static void premain(String arguments, Instrumentation instrumentation) {
		new AgentBuilder.Default().disableClassFormatChanges()
			.type(nameStartsWith("dev.idempotency.").and(not(nameStartsWith("dev.idempotency.sample")))
				.and(not(nameStartsWith("dev.idempotency.provider"))))
			.transform((builder, type, loader, module, domain) -> builder
				.visit(Advice.to(OnCall.class).on(isMethod().and(not(isAbstract())).or(isConstructor()))))
			.installOn(instrumentation);
	}

	/**
	 * The code that is added.
	 */
	public static final class OnCall {

		private OnCall() {
		}

		@Advice.OnMethodEnter
		static void enter(@Advice.Origin("#t") String type) {
			CallRecorder.record(type);
		}

	}

}
