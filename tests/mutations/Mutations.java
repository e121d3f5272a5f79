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

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Takes one protection after another out of a copy of the code, and runs its test, which
 * must fail. The protections and their mutations are in {@code mutations.txt}; the script
 * {@code run} compiles the project before.
 * <ol>
 * <li>All mutations have to match the code, each line in exactly one place.</li>
 * <li>All tests have to pass without a mutation.</li>
 * <li>For each mutation the one changed class is compiled into a temporary folder, which
 * is in front of the class path of the test. The checkout is not changed.</li>
 * </ol>
 * A mutation whose test passes is a survivor: the test does not show the protection.
 */
final class Mutations {

	private static final Path ROOT = Path.of("").toAbsolutePath();

	private static final Path DEFINITIONS = ROOT.resolve("tests/mutations/mutations.txt");

	/**
	 * The exit codes of {@code TestRun}.
	 */
	private static final int PASSED = 0;

	private static final int FAILED = 10;

	private static final int LIMIT_MINUTES = 10;

	private final Path scratch;

	private final Map<String, Path> tests;

	private final String launcher;

	private Mutations(Path scratch) throws IOException {
		this.scratch = scratch;
		this.tests = tests();
		String support = classPath(ROOT.resolve("tests/support"));
		this.launcher = scratch.resolve("launcher") + File.pathSeparator
				+ Arrays.stream(support.split(File.pathSeparator))
					.filter((jar) -> jar.contains("junit-platform-launcher"))
					.findFirst()
					.orElseThrow();
		if (!compile(ROOT.resolve("tests/mutations/TestRun.java"), support, scratch.resolve("launcher"))) {
			throw new IllegalStateException("TestRun.java does not compile");
		}
	}

	/**
	 * Runs the mutations.
	 * @param arguments parts of the names of protections or tests to choose, none for
	 * all; or {@code --check}, which only prints the protections and checks that all
	 * mutations match the code
	 */
	public static void main(String[] arguments) throws Exception {
		List<Mutation> all = parse(Files.readAllLines(DEFINITIONS));
		List<String> choice = List.of(arguments);
		if (choice.equals(List.of("--check"))) {
			printProtections(all);
			System.exit(matchTheCode(all) ? 0 : 1);
		}
		List<Mutation> chosen = all.stream().map((mutation) -> mutation.choose(choice)).filter(Mutation::isTested).toList();
		Path scratch = Files.createTempDirectory("mutations");
		boolean killed = false;
		try {
			Mutations mutations = new Mutations(scratch);
			killed = matchTheCode(chosen) && mutations.passWithoutMutation(chosen) && mutations.run(chosen);
		}
		finally {
			delete(scratch);
		}
		System.exit(killed ? 0 : 1);
	}

	private static boolean matchTheCode(List<Mutation> all) throws IOException {
		Map<String, Path> tests = tests();
		boolean match = true;
		for (Mutation mutation : all) {
			for (String test : mutation.tests) {
				if (!tests.containsKey(testClass(test))) {
					System.out.println("There is no test " + test);
					match = false;
				}
			}
			match &= mutation.apply() != null;
		}
		return match;
	}

	private boolean run(List<Mutation> all) throws Exception {
		System.out.println();
		System.out.println("| protection | test | result |");
		System.out.println("|---|---|---|");
		int count = 0;
		int killed = 0;
		for (Mutation mutation : all) {
			for (String test : mutation.tests) {
				String result = result(mutation, test);
				System.out.println("| " + mutation.protection + " | `" + test + "` | " + result + " |");
				count++;
				killed += result.startsWith("killed") ? 1 : 0;
			}
		}
		System.out.println();
		System.out.println(count + " mutations, " + killed + " killed");
		return killed == count && count > 0;
	}

	/**
	 * Runs the tests without mutations, all those of a module in one process: a test that
	 * fails anyway shows nothing.
	 */
	private boolean passWithoutMutation(List<Mutation> all) throws Exception {
		Map<Path, Set<String>> byModule = new TreeMap<>();
		for (Mutation mutation : all) {
			for (String test : mutation.tests) {
				byModule.computeIfAbsent(module(test), (module) -> new LinkedHashSet<>()).add(qualified(test));
			}
		}
		boolean passed = true;
		for (Map.Entry<Path, Set<String>> module : byModule.entrySet()) {
			int exit = execute(module.getKey(), null, module.getValue());
			System.out.println(ROOT.relativize(module.getKey()) + " without mutations: "
					+ ((exit == PASSED) ? "passed" : "FAILED\n" + log()));
			passed &= exit == PASSED;
		}
		return passed;
	}

	private String result(Mutation mutation, String test) throws Exception {
		Path sources = this.scratch.resolve("sources");
		Path classes = this.scratch.resolve("classes");
		delete(sources);
		delete(classes);
		Path file = sources.resolve(mutation.file.getFileName());
		Files.createDirectories(sources);
		Files.writeString(file, mutation.apply());
		if (!compile(file, classPath(moduleOf(ROOT.resolve(mutation.file))), classes)) {
			return "does not compile";
		}
		return switch (execute(module(test), classes, Set.of(qualified(test)))) {
			case PASSED -> "SURVIVED";
			case FAILED -> "killed (" + lastLine("RESULT ") + ")";
			default -> "no result\n" + log();
		};
	}

	private boolean compile(Path file, String classPath, Path target) throws IOException {
		Files.createDirectories(target);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		return compiler.run(null, null, null, "-proc:none", "-nowarn", "-parameters", "-g", "--release", "17", "-cp",
				classPath, "-d", target.toString(), file.toString()) == 0;
	}

	/**
	 * Runs tests in a new process, in the folder of their module.
	 */
	private int execute(Path module, Path mutated, Set<String> names) throws IOException, InterruptedException {
		List<String> path = new ArrayList<>();
		if (mutated != null) {
			path.add(mutated.toString());
		}
		path.add(classPath(module));
		path.add(this.launcher);
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Djava.util.concurrent.ForkJoinPool.common.parallelism=8", "-cp",
				String.join(File.pathSeparator, path), "TestRun"));
		command.addAll(names);
		Process process = new ProcessBuilder(command).directory(module.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.scratch.resolve("log").toFile())
			.start();
		if (!process.waitFor((long) LIMIT_MINUTES * ((mutated != null) ? 1 : 6), TimeUnit.MINUTES)) {
			process.destroyForcibly().waitFor();
			return -1;
		}
		return process.exitValue();
	}

	private String log() throws IOException {
		List<String> lines = Files.readAllLines(this.scratch.resolve("log"), StandardCharsets.ISO_8859_1);
		return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
	}

	private String lastLine(String prefix) throws IOException {
		return Files.readAllLines(this.scratch.resolve("log"), StandardCharsets.ISO_8859_1)
			.stream()
			.filter((line) -> line.startsWith(prefix))
			.map((line) -> line.substring(prefix.length()))
			.reduce("", (earlier, later) -> later);
	}

	private static String classPath(Path module) throws IOException {
		return module.resolve("target/test-classes") + File.pathSeparator + module.resolve("target/classes")
				+ File.pathSeparator + Files.readString(module.resolve("target/test-classpath")).trim();
	}

	private static String testClass(String test) {
		return test.replaceAll("\\..*", "");
	}

	private Path module(String test) {
		return moduleOf(this.tests.get(testClass(test)));
	}

	private static Path moduleOf(Path source) {
		Path folder = source.getParent();
		while (!Files.exists(folder.resolve("pom.xml"))) {
			folder = folder.getParent();
		}
		return folder;
	}

	private String qualified(String test) {
		Path source = module(test).resolve("src/test/java").relativize(this.tests.get(testClass(test)));
		String name = source.toString().replace(".java", "").replace(File.separatorChar, '.');
		int method = test.indexOf('.');
		return (method < 0) ? name : name + "#" + test.substring(method + 1);
	}

	private static Map<String, Path> tests() throws IOException {
		try (Stream<Path> folders = Files.walk(ROOT, 2)) {
			List<Path> modules = folders.filter((folder) -> Files.isDirectory(folder.resolve("src/test/java"))).toList();
			Map<String, Path> tests = new LinkedHashMap<>();
			for (Path module : modules) {
				try (Stream<Path> files = Files.walk(module.resolve("src/test/java"))) {
					files.filter((file) -> file.toString().endsWith("Tests.java"))
						.forEach((file) -> tests.put(file.getFileName().toString().replace(".java", ""), file));
				}
			}
			return tests;
		}
	}

	private static void delete(Path folder) throws IOException {
		if (Files.exists(folder)) {
			try (Stream<Path> all = Files.walk(folder)) {
				for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
					Files.delete(each);
				}
			}
		}
	}

	/**
	 * Parses mutations: a protection, its tests, the file that has it, and lines of that
	 * file with {@code -}, followed by what is there instead with {@code +}. The white
	 * space at the beginning of a line does not count.
	 */
	private static List<Mutation> parse(List<String> lines) {
		List<Mutation> all = new ArrayList<>();
		String section = "";
		Mutation current = null;
		for (String line : lines) {
			if (line.startsWith("section ")) {
				section = line.substring(8);
			}
			else if (line.startsWith("protection ")) {
				current = new Mutation(section, line.substring(11));
				all.add(current);
			}
			else if (line.startsWith("test ")) {
				current.tests.add(line.substring(5));
			}
			else if (line.startsWith("file ")) {
				current.file = Path.of(line.substring(5));
			}
			else if (line.startsWith("-") || line.startsWith("+")) {
				current.add(line.charAt(0), line.substring(1).strip());
			}
			else if (!line.isBlank()) {
				throw new IllegalArgumentException("Not understood: " + line);
			}
		}
		return all;
	}

	/**
	 * Prints the protections and their tests, as they are in
	 * {@code README.md}.
	 */
	private static void printProtections(List<Mutation> all) {
		String section = "";
		for (Mutation mutation : all) {
			if (!mutation.section.equals(section)) {
				section = mutation.section;
				System.out.println("\n## " + section + "\n\n| protection | tests |\n|---|---|");
			}
			System.out.println("| " + mutation.protection + " | "
					+ mutation.tests.stream().map((test) -> "`" + test + "`").collect(Collectors.joining(", ")) + " |");
		}
	}

	private static final class Mutation {

		private final String section;

		private final String protection;

		private final List<String> tests = new ArrayList<>();

		private final List<Change> changes = new ArrayList<>();

		private Path file;

		Mutation(String section, String protection) {
			this.section = section;
			this.protection = protection;
		}

		void add(char sign, String line) {
			Change last = this.changes.isEmpty() ? null : this.changes.get(this.changes.size() - 1);
			if (last == null || (sign == '-' && !last.added.isEmpty())) {
				last = new Change(new ArrayList<>(), new ArrayList<>());
				this.changes.add(last);
			}
			((sign == '-') ? last.removed : last.added).add(line);
		}

		/**
		 * Returns this mutation with the chosen tests only.
		 */
		Mutation choose(List<String> parts) {
			Mutation chosen = new Mutation(this.section, this.protection);
			chosen.file = this.file;
			chosen.changes.addAll(this.changes);
			this.tests.stream()
				.filter((test) -> parts.isEmpty()
						|| parts.stream().anyMatch((part) -> this.protection.contains(part) || test.contains(part)))
				.forEach(chosen.tests::add);
			return chosen;
		}

		boolean isTested() {
			return !this.tests.isEmpty();
		}

		/**
		 * Returns the mutated file, {@code null} if a change does not match exactly once.
		 */
		String apply() throws IOException {
			if (!Files.exists(ROOT.resolve(this.file))) {
				System.out.println("There is no file " + this.file);
				return null;
			}
			List<String> lines = new ArrayList<>(Files.readAllLines(ROOT.resolve(this.file)));
			for (Change change : this.changes) {
				List<Integer> matches = change.find(lines);
				if (matches.size() != 1) {
					System.out.println(
							matches.size() + " matches in " + this.file + " for:\n" + String.join("\n", change.removed));
					return null;
				}
				int at = matches.get(0);
				lines.subList(at, at + change.removed.size()).clear();
				lines.addAll(at, change.added);
			}
			return lines.stream().collect(Collectors.joining("\n", "", "\n"));
		}

	}

	private record Change(List<String> removed, List<String> added) {

		List<Integer> find(List<String> lines) {
			List<Integer> found = new ArrayList<>();
			for (int i = 0; i + this.removed.size() <= lines.size(); i++) {
				boolean same = true;
				for (int j = 0; same && j < this.removed.size(); j++) {
					same = lines.get(i + j).strip().equals(this.removed.get(j));
				}
				if (same) {
					found.add(i);
				}
			}
			return found;
		}

	}

}
