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
package dev.idempotency.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.idempotency.benchmarks.load.Spread;
import dev.idempotency.testsupport.TestDatabase;

/**
 * The throughput of the database alone, with the same statements in the same messages and
 * without any Java: the upper limit for any library. Needs {@code pgbench}.
 */
final class DatabaseBenchmark {

	private static final String BUSINESS_INSERT = """
			insert into payment (amount_cents, card_token, created_at, currency, id)
				values (5000, 'tok_visa', now(), 'usd', gen_random_uuid());
			""";

	private static final String CLAIM = """
			select pg_try_advisory_xact_lock(:key);
			select fingerprint, status, content from idempotency_record
				where id = sha256(int8send(:key)) and expires_at > clock_timestamp()
				union all
				select fingerprint, null, null from idempotency_lease where id = sha256(int8send(:key));
			""";

	private static final String RECORD = """
			insert into idempotency_record as present
				(id, account, operation, fingerprint, status, content, finished_at, expires_at)
				select sha256(int8send(:key)), sha256('account'), 'POST /protected', sha256('request'), 201::smallint,
					decode(repeat('ab', 250), 'hex'), statement_timestamp(), statement_timestamp() + interval '1 day'
				on conflict (id) do update set content = excluded.content,
					expires_at = case when present.expires_at <= clock_timestamp() then excluded.expires_at end;
			""";

	private static final String KEY = "\\set key random(1, 9000000000000000000)\n";

	private static final Map<String, String> SCRIPTS = Map.of("unprotected", "begin;\n" + BUSINESS_INSERT + "commit;\n",
			"fresh", KEY + pipelined("begin;\n" + CLAIM) + BUSINESS_INSERT + pipelined(RECORD + "commit;\n"),
			"four round trips", KEY + pipelined("begin;\n" + CLAIM) + BUSINESS_INSERT + RECORD + "commit;\n", "replay",
			KEY + pipelined("begin;\n" + CLAIM) + "rollback;\n");

	private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+)");

	private final TestDatabase database;

	private final Options options;

	private final Report report;

	DatabaseBenchmark(TestDatabase database, Options options, Report report) {
		this.database = database;
		this.options = options;
		this.report = report;
	}

	private static String pipelined(String statements) {
		return "\\startpipeline\n" + statements + "\\endpipeline\n";
	}

	void run() throws IOException, InterruptedException {
		this.report.heading("The database alone, by the same statements");
		Path program = findProgram();
		if (program == null) {
			this.report.line("Not measured: no pgbench on this machine");
			return;
		}
		Map<String, List<Double>> ratios = new TreeMap<>();
		double before = transactionsPerSecond(program, "unprotected");
		for (int round = 0; round < Math.max(3, this.options.rounds() / 2); round++) {
			for (String script : List.of("fresh", "four round trips", "replay")) {
				double measured = transactionsPerSecond(program, script);
				double after = transactionsPerSecond(program, "unprotected");
				ratios.computeIfAbsent(script, (name) -> new ArrayList<>()).add(measured * 2 / (before + after));
				before = after;
			}
		}
		ratios.forEach((script, all) -> this.report.line(String.format(Locale.ROOT,
				"- %s: %s of the transactions of the business insert alone", script, Spread.of(all))));
	}

	private double transactionsPerSecond(Path program, String script) throws IOException, InterruptedException {
		Path file = Files.createTempFile("benchmark", ".sql");
		try {
			Files.writeString(file, SCRIPTS.get(script));
			URI url = URI.create(this.database.jdbcUrl().substring("jdbc:".length()));
			ProcessBuilder command = new ProcessBuilder(program.toString(), "--no-vacuum", "--protocol=prepared",
					"--client=" + this.options.threads(), "--time=1", "--file=" + file, "--host=" + url.getHost(),
					"--port=" + url.getPort(), "--username=" + this.database.username(), url.getPath().substring(1))
				.redirectErrorStream(true);
			command.environment().put("PGPASSWORD", this.database.password());
			Process process = command.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			Matcher rate = RATE.matcher(output);
			if (process.waitFor() != 0 || !rate.find()) {
				throw new IllegalStateException(output);
			}
			return Double.parseDouble(rate.group(1));
		}
		finally {
			Files.delete(file);
		}
	}

	private static @Nullable Path findProgram() throws IOException {
		List<Path> candidates = new ArrayList<>();
		for (String directory : System.getenv("PATH").split(":")) {
			candidates.add(Path.of(directory, "pgbench"));
		}
		Path versions = Path.of("/usr/lib/postgresql");
		if (Files.isDirectory(versions)) {
			try (DirectoryStream<Path> installed = Files.newDirectoryStream(versions)) {
				installed.forEach((version) -> candidates.add(version.resolve("bin/pgbench")));
			}
		}
		return candidates.stream().filter(Files::isExecutable).findFirst().orElse(null);
	}

}
