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
package dev.idempotency.store.jdbc.sql;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.database.TableNames;

/**
 * Writes statements for one database, by replacing the words that differ between
 * databases, and adding the schema to the names of tables. Times are UTC and durations
 * are microseconds, so that no driver translates them. The words of every database are:
 * <ul>
 * <li>{@code :now}, the time by which records live, which is not that of the
 * transaction's start</li>
 * <li>{@code :later}, the time as many microseconds later as its parameter says</li>
 * <li>{@code :micros(time)}, the microseconds from the start of 1970 to a time</li>
 * <li>{@code :fence}, a new fence, which is random</li>
 * <li>{@code :number}, the next number of a claim</li>
 * </ul>
 */
public final class Syntax {

	private static final Pattern WORD = Pattern.compile("(?<!:):([a-z]+)(?:\\(([^()]+)\\))?");

	private final Map<String, String> words;

	private final TableNames names;

	/**
	 * Creates the syntax of a database.
	 * @param words the words, without their colons; {@code %s} is replaced by the
	 * argument of a word
	 * @param names the names of the tables
	 */
	public Syntax(Map<String, String> words, TableNames names) {
		this.words = words;
		this.names = names;
	}

	/**
	 * Writes a statement for this database.
	 */
	public String in(String sql) {
		return this.names.in(write(sql));
	}

	private String write(String sql) {
		return WORD.matcher(sql).replaceAll((word) -> Matcher.quoteReplacement(write(word)));
	}

	private String write(MatchResult word) {
		String text = this.words.get(word.group(1));
		if (text == null) {
			throw new IllegalArgumentException("No word of this database: " + word.group());
		}
		return write((word.group(2) != null) ? text.formatted(word.group(2)) : text);
	}

	public static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	public static long micros(Instant time) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, time);
	}

	public static Duration duration(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

	public static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

}
