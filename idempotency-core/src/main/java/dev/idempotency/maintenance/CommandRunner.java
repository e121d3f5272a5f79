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
package dev.idempotency.maintenance;

import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

import dev.idempotency.engine.codec.Command;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * Repeats stored commands of one kind through the application's own handler.
 */
public interface CommandRunner {

	/**
	 * Returns the kind of its commands.
	 * @return a constant
	 */
	String kind();

	/**
	 * Repeats a command. The current thread already acts as the sender of the command.
	 * @param command the command
	 * @param recovery the claim that was made for it
	 * @throws Exception if the command was not completed
	 */
	void run(Command command, Recovery recovery) throws Exception;

	/**
	 * Describes a command to an operator.
	 * @param command the command
	 * @return its parts by their names, as strings, lists and maps
	 */
	Map<String, Object> describe(Command command);

	/**
	 * Finds the runner of a kind of commands.
	 * @param runners the runners of this node
	 * @param kind the kind
	 * @return the runner, empty if this node has none
	 */
	static Optional<CommandRunner> find(Iterable<CommandRunner> runners, String kind) {
		return StreamSupport.stream(runners.spliterator(), false)
			.filter((runner) -> runner.kind().equals(kind))
			.findFirst();
	}

}
