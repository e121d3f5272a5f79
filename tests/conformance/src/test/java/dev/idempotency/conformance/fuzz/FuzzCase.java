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

package dev.idempotency.conformance.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One handler and one request, as a value of each dimension.
 *
 * @param protection the protection, never {@link Protection#UNPROTECTED}
 * @param placement the place of {@code @Transactional}
 * @param shape the declared type
 * @param answering the way of answering at run time
 * @param place the place of the write
 * @param writes the kind of write
 * @param ending the end of the first attempt; later ones succeed
 * @param point the point at which the first attempt fails
 * @param content the kind of body
 * @param advice another part of the application
 */
record FuzzCase(Protection protection, Placement placement, Shape shape, Answering answering, Place place,
		Writes writes, Ending ending, Point point, Content content, Advice advice) {

	static final List<List<? extends Enum<?>>> DIMENSIONS = List.of(
			List.of(Protection.TRANSACTIONAL, Protection.LEASED, Protection.PHASES), List.of(Placement.values()),
			List.of(Shape.values()), List.of(Answering.values()), List.of(Place.values()), List.of(Writes.values()),
			List.of(Ending.values()), List.of(Point.values()), List.of(Content.values()), List.of(Advice.values()));

	static FuzzCase of(List<? extends Enum<?>> values) {
		return new FuzzCase((Protection) values.get(0), (Placement) values.get(1), (Shape) values.get(2),
				(Answering) values.get(3), (Place) values.get(4), (Writes) values.get(5), (Ending) values.get(6),
				(Point) values.get(7), (Content) values.get(8), (Advice) values.get(9));
	}

	/**
	 * Reads a case as {@link #toString()} writes it.
	 * @param text names of values; a dimension that is not named has its first value
	 */
	static FuzzCase parse(String text) {
		List<String> named = Arrays.asList(text.split("/"));
		if (named.size() != DIMENSIONS.size()) {
			throw new IllegalArgumentException(
					"A case names one value of each dimension, separated by '/': " + DIMENSIONS + ", not: " + text);
		}
		return of(Stream.iterate(0, (i) -> i + 1)
			.limit(DIMENSIONS.size())
			.map((i) -> DIMENSIONS.get(i)
				.stream()
				.filter((value) -> value.name().equals(named.get(i)))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException(named.get(i) + " is none of " + DIMENSIONS.get(i))))
			.toList());
	}

	List<Enum<?>> values() {
		return List.of(this.protection, this.placement, this.shape, this.answering, this.place, this.writes,
				this.ending, this.point, this.content, this.advice);
	}

	/**
	 * Returns whether such a handler can be written, and starts.
	 */
	boolean isPossible() {
		return isMapped() && isAnswered() && isEnded() && isPlaced();
	}

	private boolean isMapped() {
		return switch (this.protection) {
			case UNPROTECTED -> false;
			// A declared asynchronous type is refused at start-up, see AsyncTests.
			case TRANSACTIONAL -> !this.shape.isDeclaredAsync();
			case LEASED -> true;
			// @Transactional beside Phases is refused at start-up, see
			// PhaseTransactionTests.
			case PHASES -> this.shape.isInPhases() && this.placement == Placement.NOWHERE;
		};
	}

	private boolean isAnswered() {
		return switch (this.shape) {
			case CALLABLE, TASK -> this.answering == Answering.CALLABLE;
			case FUTURE -> this.answering == Answering.FUTURE;
			case DEFERRED -> this.answering == Answering.DEFERRED;
			case OBJECT, VARIABLE -> !this.answering.isRaw();
			case DIRECT -> !this.answering.isAsync() || this.answering.isRaw();
			default -> !this.answering.isAsync();
		};
	}

	private boolean isEnded() {
		boolean ended = switch (this.ending.kind()) {
			case RETURN -> !this.shape.hasFixedStatus() || this.ending == Ending.RETURN_201;
			case SEND_ERROR -> this.shape.isEndedBySendError() && !this.answering.isAsync();
			// An exception on a thread of a raw startAsync gets no answer.
			case THROW -> !this.answering.isRaw();
		};
		// A failure before it is asynchronous is like any other.
		boolean failsBefore = this.point == Point.BEFORE_WRITE
				|| (this.point == Point.IN_SERVICE && this.place == Place.FIRST);
		if (failsBefore && this.answering.isAsync() && !this.shape.isDeclaredAsync()) {
			return false;
		}
		return ended && switch (this.point) {
			case AFTER_WRITE -> true;
			case BEFORE_WRITE -> this.ending.kind() == Ending.Kind.THROW;
			case IN_SERVICE -> this.ending.kind() == Ending.Kind.THROW && isWriting();
			// The rows of a write that goes on without a transaction are the handler's
			// matter.
			case SWALLOWED -> this.ending == Ending.RETURN_201 && isWriting() && this.writes != Writes.PLAIN
					&& !this.answering.isAsync() && this.protection != Protection.PHASES;
			case RENDERING -> this.ending == Ending.THROW_UNMAPPED && this.shape.isConverted();
		};
	}

	private boolean isWriting() {
		return this.writes != Writes.NOTHING && this.writes != Writes.DEFERRED_VIOLATION;
	}

	private boolean isPlaced() {
		if (this.place == Place.LAST && !this.answering.isAsync() && this.protection != Protection.PHASES) {
			return false;
		}
		if (this.place == Place.LAST && this.answering.isRaw() && this.point != Point.AFTER_WRITE) {
			return false;
		}
		if (this.writes != Writes.DEFERRED_VIOLATION) {
			return true;
		}
		return this.ending == Ending.RETURN_201 && !this.answering.isAsync();
	}

	String toQuery() {
		return "ending=" + this.ending + "&point=" + this.point + "&writes=" + this.writes + "&place=" + this.place
				+ "&answering=" + this.answering + "&advice=" + this.advice;
	}

	@Override
	public String toString() {
		return values().stream().map(Enum::name).collect(Collectors.joining("/"));
	}

}
