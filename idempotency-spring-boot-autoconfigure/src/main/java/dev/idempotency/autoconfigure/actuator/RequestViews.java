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
import java.util.function.BiFunction;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.idempotency.LeaseExpiry;
import dev.idempotency.autoconfigure.actuator.RequestView.Finished;
import dev.idempotency.autoconfigure.actuator.RequestView.RequestContent;
import dev.idempotency.autoconfigure.actuator.RequestView.RequestContent.Unreadable;
import dev.idempotency.autoconfigure.actuator.RequestView.Unfinished;
import dev.idempotency.autoconfigure.actuator.RequestView.Unknown;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.store.Identity;
import dev.idempotency.store.OperatorStore;
import dev.idempotency.store.OperatorStore.KeptRecord;

/**
 * Finds the requests that the endpoints show.
 *
 * @param unfinished the requests without a response
 * @param store the stored responses
 * @param codec reads their content
 * @param onExpiry the treatment of requests after their lease has expired
 * @param properties whether content is shown
 */
record RequestViews(UnfinishedRequests unfinished, OperatorStore store, ContentCodec codec, LeaseExpiry onExpiry,
		EndpointProperties properties) {

	private static final int ID_LENGTH = 64;

	/**
	 * Log lines have twelve digits.
	 */
	private static final Pattern BEGINNING = Pattern.compile("[0-9a-fA-F]{12,63}");

	Requests stuck(@Nullable Integer limit, @Nullable String after) {
		return list(this.unfinished::stuck, OperatorCalls.limit(limit), after);
	}

	Requests open(@Nullable Integer limit, @Nullable String after) {
		return list(this.unfinished::open, OperatorCalls.limit(limit), after);
	}

	/**
	 * Lists never show the content of requests, regardless of the configuration: they
	 * would hold the bodies of all of them.
	 */
	private Requests list(BiFunction<Integer, @Nullable String, List<UnfinishedRequest>> source, int limit,
			@Nullable String after) {
		try {
			List<UnfinishedRequest> requests = source.apply(limit, after);
			String next = (requests.size() == limit) ? requests.get(limit - 1).position() : null;
			return new Requests(requests.stream()
				.<RequestView>map((request) -> Unfinished.of(request, this.onExpiry, null, null))
				.toList(), next);
		}
		catch (IllegalArgumentException ex) {
			throw OperatorCalls.invalid(ex);
		}
	}

	/**
	 * Finds the requests with a key.
	 * @param candidates the identities of the key in different scopes, at least one
	 * @return the request, or a list if there are several
	 */
	OperationResponseBody findOneOf(List<Identity> candidates) {
		OperationResponseBody found = findAny(candidates);
		return (found != null) ? found : new Unknown(id(candidates.get(0)));
	}

	/**
	 * Finds a request by its id, or by the beginning of its id as in log lines.
	 * @param id 12 to 64 hexadecimal digits
	 * @return the request, or a list if there are several; {@code null} if there is none
	 */
	@Nullable OperationResponseBody find(String id) {
		Identity identity = OperatorCalls.id(id);
		if (identity != null) {
			return find(identity);
		}
		if (!BEGINNING.matcher(id).matches()) {
			return null;
		}
		int missing = ID_LENGTH - id.length();
		return findAny(this.store.between(HexFormat.of().parseHex(id + "0".repeat(missing)),
				HexFormat.of().parseHex(id + "f".repeat(missing)), OperatorCalls.DEFAULT_LIMIT));
	}

	private @Nullable OperationResponseBody findAny(List<Identity> candidates) {
		List<Identity> found = candidates.stream()
			.filter((identity) -> !(find(identity, false) instanceof Unknown))
			.toList();
		return switch (found.size()) {
			case 0 -> null;
			case 1 -> find(found.get(0));
			default -> new Requests(found.stream().map((identity) -> find(identity, false)).toList(), null);
		};
	}

	RequestView find(Identity identity) {
		return find(identity, this.properties.showBodies());
	}

	private RequestView find(Identity identity, boolean content) {
		String id = id(identity);
		return finished(identity, content).or(() -> unfinished(id, content))
			// It may have been finished between the two queries.
			.or(() -> finished(identity, content))
			.orElseGet(() -> new Unknown(id));
	}

	static String id(Identity identity) {
		return HexFormat.of().formatHex(identity.digest());
	}

	private Optional<RequestView> finished(Identity identity, boolean content) {
		return this.store.find(identity).map((kept) -> Finished.of(id(identity), kept, content ? content(kept) : null));
	}

	private @Nullable RequestContent content(KeptRecord kept) {
		if (kept.response().content() == null) {
			return null;
		}
		try {
			return RequestContent
				.of(StoredResponse.decode(kept.identity(), kept.fingerprint(), kept.response(), this.codec));
		}
		catch (NotReplayableException ex) {
			return new Unreadable(true);
		}
	}

	/**
	 * Reads a request with its steps. If these cannot be decoded, it is shown without
	 * them.
	 */
	private Optional<RequestView> unfinished(String id, boolean content) {
		try {
			return this.unfinished.export(id)
				.map((exported) -> Unfinished.of(exported.request(), this.onExpiry,
						List.copyOf(exported.steps().keySet()),
						content ? new RequestContent.Request(exported.command(), exported.steps()) : null));
		}
		catch (IllegalStateException | NotReplayableException ex) {
			return this.unfinished.find(id)
				.map((request) -> Unfinished.of(request, this.onExpiry, null, content ? new Unreadable(true) : null));
		}
	}

	/**
	 * A page of a list of requests.
	 *
	 * @param requests the requests
	 * @param next the start of the next page, {@code null} if there is none
	 */
	record Requests(List<RequestView> requests, @Nullable String next) implements OperationResponseBody {
	}

}
