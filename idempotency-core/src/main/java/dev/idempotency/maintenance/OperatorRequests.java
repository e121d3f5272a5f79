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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import dev.idempotency.engine.StepResults;
import dev.idempotency.engine.codec.Command;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.operator.UnfinishedRequest;
import dev.idempotency.operator.UnfinishedRequest.State;
import dev.idempotency.operator.UnfinishedRequests;
import dev.idempotency.operator.UnfinishedRequests.AbandonedResponse;
import dev.idempotency.operator.UnfinishedRequests.ExportedRequest;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.Identity;
import dev.idempotency.store.LeaseStore;
import dev.idempotency.store.UnfinishedStore;
import dev.idempotency.store.UnfinishedStore.Filter;
import dev.idempotency.store.UnfinishedStore.Position;
import dev.idempotency.store.UnfinishedStore.UnfinishedRecord;

/**
 * The operators' view of the unfinished requests.
 *
 * @param unfinished the unfinished requests
 * @param store stores the responses to abandoned requests
 * @param codec the format of stored content
 * @param runners describe commands
 * @param ttl the time for which an operator's response is kept
 */
record OperatorRequests(UnfinishedStore unfinished, LeaseStore store, ContentCodec codec,
		Iterable<CommandRunner> runners, Duration ttl) implements UnfinishedRequests {

	/**
	 * The duration of an operator's claim if this node dies before the response is
	 * stored.
	 */
	private static final Duration LEASE = Duration.ofSeconds(30);

	@Override
	public List<UnfinishedRequest> stuck(int limit, @Nullable String after) {
		return list(Filter.STUCK, limit, after);
	}

	@Override
	public List<UnfinishedRequest> open(int limit, @Nullable String after) {
		return list(Filter.OPEN, limit, after);
	}

	private List<UnfinishedRequest> list(Filter filter, int limit, @Nullable String after) {
		Assert.isTrue(limit >= 1, "The limit of a list must be at least 1");
		Position position = (after != null) ? position(after) : Position.START;
		return this.unfinished.list(filter, position, limit).stream().map(OperatorRequests::toRequest).toList();
	}

	/**
	 * Parses the result of {@link UnfinishedRequest#position()}.
	 */
	private static Position position(String text) {
		int end = text.indexOf('_');
		try {
			return new Position(Instant.parse(text.substring(0, Math.max(end, 0))), identity(text.substring(end + 1)));
		}
		catch (DateTimeParseException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("The parameter after is not a position in the list of requests. "
					+ "Use the value of next from the previous page", ex);
		}
	}

	@Override
	public Optional<UnfinishedRequest> find(String id) {
		return this.unfinished.find(identity(id)).map(OperatorRequests::toRequest);
	}

	@Override
	public boolean retry(UnfinishedRequest seen) {
		return change(seen, this.unfinished::retry);
	}

	@Override
	public boolean abandon(UnfinishedRequest seen, AbandonedResponse response) {
		return change(seen,
				(found) -> this.unfinished.claim(found, LEASE)
					.filter((claimed) -> finish(claimed, response))
					.isPresent());
	}

	@Override
	public Optional<ExportedRequest> export(String id) {
		return this.unfinished.find(identity(id))
			.map((found) -> new ExportedRequest(toRequest(found), command(found), steps(found)));
	}

	/**
	 * Changes a request, unless it is no longer as it was shown to the operator.
	 */
	private boolean change(UnfinishedRequest seen, Predicate<UnfinishedRecord> change) {
		return this.unfinished.find(identity(seen.id()))
			.filter((found) -> version(found).equals(seen.version()))
			.filter(change)
			.isPresent();
	}

	/**
	 * Returns the fence and the mark of effects: an owner that was slower than its lease
	 * can commit effects under the same fence.
	 */
	private static String version(UnfinishedRecord found) {
		return found.lease().fence() + (found.effects() ? "-effects" : "");
	}

	private boolean finish(UnfinishedRecord claimed, AbandonedResponse response) {
		Identity identity = claimed.lease().identity();
		StoredResponse all = new StoredResponse(response.status(),
				List.of(new HeaderField("Content-Type", response.contentType(), false)), response.body());
		return this.store.finish(claimed.lease(), new FinishedRecord(identity, claimed.operation(),
				claimed.fingerprint(), all.encode(identity, claimed.fingerprint(), this.ttl, this.codec), this.ttl));
	}

	private ExportedRequest.@Nullable Command command(UnfinishedRecord found) {
		byte[] encoded = found.command();
		if (encoded == null) {
			return null;
		}
		Command command = Command.decode(found.lease().identity(), found.fingerprint(), encoded, this.codec);
		String reason = command.reasonNotStored();
		Map<String, Object> content = (reason != null) ? Map.of("notStored", reason)
				: CommandRunner.find(this.runners, command.kind())
					.map((runner) -> runner.describe(command))
					.orElse(Map.of());
		return new ExportedRequest.Command(command.sender().account(), command.kind(), content);
	}

	private Map<String, String> steps(UnfinishedRecord found) {
		Map<String, String> steps = new LinkedHashMap<>();
		StepResults.decode(found.lease().identity(), found.fingerprint(), found.progress().steps(), this.codec)
			.results()
			.forEach((step, result) -> steps.put(step, new String(result, StandardCharsets.UTF_8)));
		return steps;
	}

	private static Identity identity(String id) {
		return new Identity(HexFormat.of().parseHex(id), new byte[0]);
	}

	private static UnfinishedRequest toRequest(UnfinishedRecord found) {
		Identity identity = found.lease().identity();
		return new UnfinishedRequest(HexFormat.of().formatHex(identity.digest()),
				HexFormat.of().formatHex(identity.account()), found.operation(), state(found),
				found.progress().recoveryPoint(), found.progress().attempts(), found.effects(), found.createdAt(),
				found.leaseUntil(), found.retryAt(), found.stuckAt(), found.lastError(), found.node(), version(found));
	}

	private static State state(UnfinishedRecord found) {
		if (found.running()) {
			return State.RUNNING;
		}
		return (found.stuckAt() != null) ? State.STUCK : State.WAITING;
	}

}
