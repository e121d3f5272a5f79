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
package dev.idempotency.store;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import dev.idempotency.operator.RequestHistory;
import dev.idempotency.operator.RequestHistory.Entry;
import dev.idempotency.operator.RequestHistory.Kind;

/**
 * The stored text of a {@link RequestHistory}. Each entry is a line with the microseconds
 * since 1970 by the store's clock, the kind, and the detail. A store appends the time and
 * a {@link #line} in the statement that changes the request, and keeps the last
 * {@value #MAX_LENGTH} characters.
 */
public final class HistoryText {

	/**
	 * Maximum number of characters that are kept.
	 */
	public static final int MAX_LENGTH = 4000;

	/**
	 * The line of a claim by this node.
	 */
	public static final String CLAIMED = line(Kind.CLAIMED, node());

	private static final int MAX_DETAIL = 300;

	private static final Pattern LINE = Pattern.compile("(\\d+) ([a-z]+) (.*)");

	private HistoryText() {
	}

	/**
	 * Returns a line without its time.
	 * @param kind the kind of the entry
	 * @param detail its detail, {@code null} for none
	 * @return the text that follows the time
	 */
	public static String line(Kind kind, @Nullable String detail) {
		String text = (detail != null) ? detail.replaceAll("\\p{Cntrl}", " ") : "";
		return " " + kind.name().toLowerCase(Locale.ROOT) + " "
				+ ((text.length() > MAX_DETAIL) ? text.substring(0, MAX_DETAIL) : text) + "\n";
	}

	/**
	 * Appends an entry, as statements do.
	 * @param text the earlier entries
	 * @param at the time of the entry
	 * @param line the result of {@link #line}
	 * @return all entries, at most {@value #MAX_LENGTH} characters
	 */
	public static String append(String text, Instant at, String line) {
		String all = text + ChronoUnit.MICROS.between(Instant.EPOCH, at) + line;
		return all.substring(Math.max(0, all.length() - MAX_LENGTH));
	}

	/**
	 * Reads entries.
	 * @param text the text
	 * @return the history, without an entry that was cut off
	 */
	public static RequestHistory parse(@Nullable String text) {
		if (!StringUtils.hasLength(text)) {
			return RequestHistory.NONE;
		}
		Stream<String> lines = text.lines();
		List<Entry> entries = new ArrayList<>();
		lines.skip((text.codePointCount(0, text.length()) >= MAX_LENGTH) ? 1 : 0).forEach((line) -> {
			Matcher matcher = LINE.matcher(line);
			Kind kind = matcher.matches() ? kind(matcher.group(2)) : null;
			if (kind != null) {
				entries.add(new Entry(Instant.EPOCH.plus(Long.parseLong(matcher.group(1)), ChronoUnit.MICROS), kind,
						matcher.group(3)));
			}
		});
		return new RequestHistory(entries);
	}

	/**
	 * Finds a kind. A kind of a newer version is left out.
	 */
	private static @Nullable Kind kind(String name) {
		return Stream.of(Kind.values())
			.filter((kind) -> kind.name().toLowerCase(Locale.ROOT).equals(name))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns the name of this node. In a container the host name is that of the pod.
	 */
	private static String node() {
		return host() + ":" + ProcessHandle.current().pid();
	}

	private static String host() {
		String named = System.getenv("HOSTNAME");
		if (StringUtils.hasText(named)) {
			return named;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
