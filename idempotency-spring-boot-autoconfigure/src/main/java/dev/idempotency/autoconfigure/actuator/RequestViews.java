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

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.Answer;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * Finds what the endpoints show.
 */
final class RequestViews {

	private final UnfinishedRequests unfinished;

	private final OperatorStore store;

	private final ResponseCodec codec;

	private final LeaseExpiry onExpiry;

	private final boolean showBodies;

	/**
	 * Creates a finder.
	 * @param unfinished the requests without an answer
	 * @param store those with one
	 * @param codec how answers are encoded
	 * @param onExpiry the treatment of requests after their lease
	 * @param properties whether the content of requests is shown
	 */
	public RequestViews(UnfinishedRequests unfinished, OperatorStore store, ResponseCodec codec, LeaseExpiry onExpiry,
			EndpointProperties properties) {
		this.unfinished = unfinished;
		this.store = store;
		this.codec = codec;
		this.onExpiry = onExpiry;
		this.showBodies = properties.showBodies();
	}

	Requests stuck(@Nullable Integer limit, @Nullable String after) {
		int most = Parameters.limit(limit);
		return list(this.unfinished.stuck(most, position(after)), most);
	}

	Requests open(@Nullable Integer limit, @Nullable String after) {
		int most = Parameters.limit(limit);
		return list(this.unfinished.open(most, position(after)), most);
	}

	private static UnfinishedRequest.@Nullable Position position(@Nullable String text) {
		try {
			return (text != null) ? UnfinishedRequest.Position.parse(text) : null;
		}
		catch (IllegalArgumentException ex) {
			throw Parameters.invalid(ex);
		}
	}

	/**
	 * Lists never show the content of requests, regardless of the configuration: they
	 * would hold the bodies of all of them.
	 */
	private Requests list(List<UnfinishedRequest> requests, int limit) {
		String next = (requests.size() == limit) ? requests.get(limit - 1).position().toString() : null;
		return new Requests(
				requests.stream().map((request) -> RequestView.of(request, this.onExpiry, null, null)).toList(), next);
	}

	/**
	 * Finds the requests that a key may stand for.
	 * @param candidates the identities that the key has in different scopes, at least one
	 * @return the request, or a list if there are several
	 */
	OperationResponseBody findOneOf(List<Identity> candidates) {
		List<Identity> found = candidates.stream().filter(this::exists).toList();
		if (found.size() <= 1) {
			return find(found.isEmpty() ? candidates.get(0) : found.get(0));
		}
		return new Requests(found.stream().map((identity) -> find(identity).withoutContent()).toList(), null);
	}

	/**
	 * Finds the requests whose id begins with what a log line has of it.
	 * @param range the first and the last possible id
	 * @return the request, or a list if there are several; {@code null} if there is none
	 */
	@Nullable OperationResponseBody find(Parameters.Range range) {
		List<Identity> found = this.store.between(range.first(), range.last(), Parameters.DEFAULT_LIMIT)
			.stream()
			.filter(this::exists)
			.toList();
		return found.isEmpty() ? null : findOneOf(found);
	}

	private boolean exists(Identity identity) {
		return !find(identity).state().equals(RequestView.UNKNOWN);
	}

	RequestView find(Identity identity) {
		String id = HexFormat.of().formatHex(identity.digest());
		return this.store.find(identity)
			.map((kept) -> finished(id, kept))
			.or(() -> unfinished(id))
			// It may have been finished between the two queries.
			.or(() -> this.store.find(identity).map((kept) -> finished(id, kept)))
			.orElseGet(() -> RequestView.unknown(id));
	}

	private RequestView finished(String id, KeptRecord kept) {
		return RequestView.of(id, kept, this.showBodies ? content(kept) : null);
	}

	private @Nullable RequestContent content(KeptRecord kept) {
		if (kept.answer().content() == null) {
			return null;
		}
		try {
			return RequestContent.of(Answer.decode(kept.identity(), kept.fingerprint(), kept.answer(), this.codec));
		}
		catch (NotReplayableException ex) {
			return RequestContent.none();
		}
	}

	/**
	 * Reads a request with its steps. One that cannot be decoded is shown without them.
	 */
	private Optional<RequestView> unfinished(String id) {
		try {
			return this.unfinished.export(id).map(this::view);
		}
		catch (IllegalStateException | NotReplayableException ex) {
			return this.unfinished.find(id)
				.map((request) -> RequestView.of(request, this.onExpiry, null,
						this.showBodies ? RequestContent.none() : null));
		}
	}

	private RequestView view(ExportedRequest exported) {
		return RequestView.of(exported.request(), this.onExpiry, List.copyOf(exported.steps().keySet()),
				this.showBodies ? RequestContent.of(exported) : null);
	}

	/**
	 * A page of a list of requests.
	 *
	 * @param requests the requests
	 * @param next the start of the next page, {@code null} if there is none
	 */
	public record Requests(List<RequestView> requests, @Nullable String next) implements OperationResponseBody {
	}

}
