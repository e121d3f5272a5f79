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
package dev.idempotency.web;

import dev.idempotency.IdempotentOperation;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.execution.Call;
import dev.idempotency.engine.identity.Fingerprint;
import dev.idempotency.engine.identity.IdentityFactory;
import dev.idempotency.engine.identity.IdentityFactory.Kind;
import dev.idempotency.engine.identity.SenderSource;
import dev.idempotency.store.Identity;
import dev.idempotency.store.Recovery;
import dev.idempotency.web.fingerprint.RequestReader.RequestContent;
import dev.idempotency.web.recovery.HttpCommand;

/**
 * The calls that HTTP requests stand for.
 *
 * @param identities makes identities of keys
 * @param senders knows how callers were authenticated
 */
record WebCalls(IdentityFactory identities, SenderSource senders) {

	/**
	 * The call of a request that comes from its sender.
	 */
	Call sent(Delivery delivery, String key, RequestContent content) {
		IdempotentOperation operation = delivery.endpoint().operation();
		Identity identity = this.identities.create(operation, Kind.RESPONSE, delivery.account(), key);
		HttpCommand command = content.command();
		Command repeatable = (command != null)
				? new Command(this.senders.describe(delivery.account()), HttpCommand.KIND, command.toBytes()) : null;
		Fingerprint fingerprint = this.identities.fingerprint(identity, operation, content.fingerprint());
		return new Call(operation, identity, fingerprint, delivery.endpoint().commits(), repeatable, null);
	}

	/**
	 * The call of a request that the completer repeats.
	 */
	Call repeated(Delivery delivery, Recovery recovery) {
		return new Call(delivery.endpoint().operation(), recovery.lease().identity(),
				Fingerprint.of(recovery.fingerprint()), delivery.endpoint().commits(), null, recovery);
	}

}
