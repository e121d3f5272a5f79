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

import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import dev.idempotency.Idempotent.Mode;
import dev.idempotency.account.AccountRunner;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.lease.LeaseKeeper;
import dev.idempotency.engine.observation.ErrorNames;
import dev.idempotency.engine.observation.Stage;
import dev.idempotency.engine.observation.StageObserver;
import dev.idempotency.logging.LogEvent;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.LeaseStore.Interruption;
import dev.idempotency.store.UnfinishedStore.Recovery;

/**
 * Repeats the command of a claimed request as its account. The lease is kept alive around
 * it: loading the account and everything before the handler take time, too.
 *
 * @param store takes claims back
 * @param keeper the heartbeat of leases
 * @param codec how commands are encoded
 * @param runners repeat commands
 * @param accounts checks accounts
 * @param stages the observer of attempts
 */
record CommandCompletion(LeaseStore store, LeaseKeeper keeper, ResponseCodec codec, List<CommandRunner> runners,
		AccountRunner accounts, StageObserver stages) {

	private static final Log logger = LogFactory.getLog(CommandCompletion.class);

	/**
	 * Returns the time for which a claim holds without a heartbeat.
	 */
	Duration lease() {
		return this.keeper.settings().duration();
	}

	/**
	 * Completes a request, or gives it back with the reason why it is not complete.
	 * @throws RuntimeException if the store cannot take it back; its lease expires then
	 */
	void complete(Recovery recovery) {
		this.keeper.hold(recovery.lease());
		try {
			this.stages.observe(Stage.RECOVER, recovery.operation(), Mode.LEASED, null, Stage.Outcome.COMPLETED,
					() -> repeat(recovery));
		}
		catch (Exception | Error ex) {
			giveBack(recovery, ex);
		}
		finally {
			this.keeper.letGo(recovery.lease());
		}
	}

	private void repeat(Recovery recovery) throws Exception {
		Command command = Command.decode(recovery.lease().identity(), recovery.fingerprint(), recovery.command(),
				this.codec);
		CommandRunner runner = runner(command.kind());
		this.accounts.run(command.sender(), () -> runner.run(command, recovery));
	}

	private void giveBack(Recovery recovery, Throwable failure) {
		String error = ErrorNames.of(failure);
		// Without the exception: its message may quote the request.
		LogEvent.COMPLETION_FAILED.log(logger, "An unfinished request could not be completed [" + recovery.operation()
				+ ", attempt " + recovery.progress().attempts() + "]: " + error);
		logger.debug("An unfinished request could not be completed", failure);
		this.keeper.letGo(recovery.lease());
		this.store.interrupt(recovery.lease(), new Interruption(error, true));
	}

	private CommandRunner runner(String kind) {
		for (CommandRunner runner : this.runners) {
			if (runner.kind().equals(kind)) {
				return runner;
			}
		}
		throw new IllegalStateException("This node cannot repeat commands of the kind " + kind);
	}

}
