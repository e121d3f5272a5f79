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
package dev.idempotency.autoconfigure.actuator;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

import org.junit.jupiter.api.Test;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;

import static org.assertj.core.api.Assertions.assertThat;

class RequestViewsTests {

	private static final Identity IDENTITY = new Identity(new byte[32], new byte[16]);

	private static final KeptRecord KEPT = new KeptRecord(IDENTITY, "POST /rides", new byte[33],
			new EncodedResponse(201, null), Instant.EPOCH, Instant.EPOCH);

	@Test
	void aRequestThatFinishesBetweenTheTwoLooksIsFound() {
		Queue<Optional<KeptRecord>> looks = new ArrayDeque<>(List.of(Optional.empty(), Optional.of(KEPT)));
		assertThat(views(looks).find(IDENTITY).state()).isEqualTo("finished");
		assertThat(looks).isEmpty();
	}

	@Test
	void anAnswerThatWasNotKeptHasNoContent() {
		RequestView view = views(new ArrayDeque<>(List.of(Optional.of(KEPT)))).find(IDENTITY);
		assertThat(view).extracting("status").isEqualTo(201);
		assertThat(view.content()).isNull();
	}

	private static RequestViews views(Queue<Optional<KeptRecord>> looks) {
		OperatorStore store = answering(OperatorStore.class, "find", looks);
		UnfinishedRequests none = answering(UnfinishedRequests.class, "export",
				new ArrayDeque<>(List.of(Optional.empty())));
		return new RequestViews(none, store, new ContentCodec("app", new PlainCodec()), LeaseExpiry.RERUN,
				new EndpointProperties(true));
	}

	private static <T> T answering(Class<T> type, String name, Queue<? extends Optional<?>> answers) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				assertThat(method.getName()).isEqualTo(name);
				return answers.remove();
			}));
	}

	private static final class PlainCodec implements ResponseCodec {

		@Override
		public byte[] encode(ResponseCodec.Context context, byte[] answer) {
			return answer;
		}

		@Override
		public byte[] decode(ResponseCodec.Context context, byte[] stored) {
			return stored;
		}

	}

}
