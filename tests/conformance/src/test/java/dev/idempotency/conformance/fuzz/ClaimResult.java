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

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;

/**
 * One execution of a handler: what its script says, in parts that the handler puts into
 * their places.
 */
final class ClaimResult {

	private static final String NO_ROW = "none";

	private final Script script;

	private final FuzzLedger ledger;

	private final boolean isHealed;

	private final String received;

	private String row = NO_ROW;

	/**
	 * Begins an execution.
	 */
	ClaimResult(Script script, Executions executions, FuzzLedger ledger, HttpServletRequest request) {
		this.script = script;
		this.ledger = ledger;
		this.isHealed = executions.isHealed(script.label());
		this.received = received(request);
		executions.start(script.label());
		failAt(Point.BEFORE_WRITE);
	}

	/**
	 * Writes the row.
	 * @return its id
	 */
	String write() {
		UUID id = UUID.randomUUID();
		Runnable then = () -> {
			if (!this.isHealed && this.script.point() == Point.SWALLOWED) {
				throw new IllegalStateException("swallowed");
			}
			failAt(Point.IN_SERVICE);
		};
		try {
			write(id, this.script.label(), then);
			this.row = (this.script.writes() != Writes.NOTHING) ? id.toString() : NO_ROW;
		}
		catch (IllegalStateException ex) {
			if (!"swallowed".equals(ex.getMessage())) {
				throw ex;
			}
		}
		return this.row;
	}

	/**
	 * Takes over the row that an earlier attempt has written.
	 */
	void written(String id) {
		this.row = id;
	}

	private void write(UUID id, String label, Runnable then) {
		switch (this.script.writes()) {
			case NOTHING -> then.run();
			case PLAIN -> this.ledger.plain(id, label, then);
			case SERVICE -> this.ledger.service(id, label, then);
			case PACKAGE_PRIVATE_SERVICE -> this.ledger.packagePrivate(id, label, then);
			case JPA -> this.ledger.jpa(id, label, then);
			case REQUIRES_NEW -> this.ledger.requiresNew(id, label, then);
			case DEFERRED_VIOLATION -> {
				if (this.isHealed) {
					this.ledger.service(id, label, then);
				}
				else {
					this.ledger.violating(id, label);
				}
			}
		}
	}

	/**
	 * Ends the execution.
	 */
	HandlerAnswer end() {
		failAt(Point.AFTER_WRITE);
		Ending ending = this.script.ending();
		boolean isSuccess = ending.status() < 400;
		return new HandlerAnswer((this.isHealed && !isSuccess) ? Ending.RETURN_201 : ending, this.row, this.received,
				!this.isHealed && this.script.point() == Point.RENDERING);
	}

	private void failAt(Point point) {
		if (!this.isHealed && this.script.point() == point && this.script.ending().kind() == Ending.Kind.THROW) {
			Failures.<RuntimeException>raise(Failures.of(this.script.ending()));
		}
	}

	/**
	 * The body as the handler reads it: parameters, parts or bytes.
	 */
	private static String received(HttpServletRequest request) {
		try {
			String type = request.getContentType();
			if (type != null && type.startsWith("multipart/")) {
				StringBuilder parts = new StringBuilder();
				for (Part part : request.getParts()) {
					parts.append(part.getName())
						.append(':')
						.append(part.getSubmittedFileName())
						.append(':')
						.append(part.getSize());
				}
				return parts.toString();
			}
			Map<String, String[]> parameters = new TreeMap<>(request.getParameterMap());
			parameters.remove("label");
			String read = parameters.entrySet()
				.stream()
				.map((entry) -> entry.getKey() + ":" + String.join(",", entry.getValue()))
				.collect(Collectors.joining(";"));
			// The container reads a form for its parameters, and leaves nothing.
			boolean isForm = Content.FORM.mediaType().equals(type);
			return read + (isForm ? "" : " bytes:" + request.getInputStream().readAllBytes().length);
		}
		catch (IOException | ServletException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
