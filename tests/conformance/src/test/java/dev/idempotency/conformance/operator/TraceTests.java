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
package dev.idempotency.conformance.operator;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.idempotency.IdempotencyOperations;
import dev.idempotency.IdempotencyRequest;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.PhaseHook;
import dev.idempotency.conformance.app.Provider;
import dev.idempotency.conformance.app.Rides;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.conformance.app.Traces;
import dev.idempotency.conformance.app.Traces.Span;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertProblem;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static dev.idempotency.conformance.app.Traces.span;
import static dev.idempotency.conformance.app.Traces.within;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Group O, traces: what a request, a retry, a ride and a job look like.
 */
@Tag("O1")
class TraceTests {

	private static final JobType<Labelled> RECEIPT = JobType.of("receipt", Labelled.class);

	private static Provider provider;

	private static RunningApplication application;

	private static Traces traces;

	private static Gates gates;

	@BeforeAll
	static void start() {
		provider = new Provider();
		application = RunningApplication.start(List.of(Rides.class, Payments.class, Receipts.class),
				"provider=" + provider.address(), "idempotency.reaper.enabled=false",
				"idempotency.completer.enabled=false", "management.observations.enable.spring.security=false");
		traces = Traces.of(application);
		gates = application.context().getBean(Gates.class);
	}

	@AfterAll
	static void stop() {
		application.close();
		provider.close();
	}

	private static HttpResponse<byte[]> post(String path, String key, String label) {
		return application.post(ALICE, path, key, Labelled.json(label));
	}

	/**
	 * The spans of a request, of which those of the library are told.
	 */
	private static List<Span> spans(String path, String key, String label) {
		return traces.record(() -> post(path, key, label));
	}

	/**
	 * The span of the library within that of the request, and then its phases.
	 */
	private static List<String> told(List<Span> spans) {
		Span request = spans.get(0);
		assertThat(request.name()).startsWith("http post /");
		assertThat(request.parentId()).as("nothing is left of an earlier request").isNullOrEmpty();
		assertThat(spans).allMatch(Span::ended);
		List<Span> observed = within(spans, request);
		assertThat(observed).as("one observation for each request").hasSize(1);
		return Stream.concat(observed.stream(), within(spans, observed.get(0)).stream()).map(Span::toString).toList();
	}

	@Test
	void aFreshRequestIsOneSpanFromItsClaimToItsCommit() {
		List<Span> spans = spans("/payments", "fresh", "fresh");
		assertThat(told(spans)).containsExactly("idempotency request [claimed, storing]: completed");
		Span observed = span(spans, "idempotency request");
		assertThat(observed.tags()).containsOnlyKeys("operation", "mode", "outcome")
			.containsEntry("operation", "POST /payments")
			.containsEntry("mode", "transactional");
		assertThat(span(spans, "inside").parentId()).isEqualTo(observed.id());
	}

	@Test
	void aReplayIsVisible() {
		post("/payments", "replay", "replay");
		List<Span> spans = spans("/payments", "replay", "replay");
		assertThat(told(spans)).containsExactly("idempotency request: replayed");
		assertThat(spans.get(0).tags()).containsEntry("idempotency.outcome", "replayed");
	}

	@Test
	void aChangedRequestIsRefused() {
		post("/payments", "changed", "changed");
		assertThat(told(spans("/payments", "changed", "other"))).containsExactly("idempotency request: key-reused");
	}

	@Test
	void aDuplicateInFlightIsRefused() {
		CompletableFuture<HttpResponse<byte[]>> first = new CompletableFuture<>();
		new Thread(() -> first.complete(post("/payments", "gated", "gated"))).start();
		gates.awaitReached("gated");
		List<Span> duplicate = traces
			.record(() -> assertProblem(post("/payments", "gated", "gated"), 409, "in-progress"));
		assertThat(duplicate).extracting(Span::toString)
			.contains("idempotency request: in-progress")
			.noneMatch((span) -> span.contains("claimed"));
		traces.record(() -> {
			gates.open("gated");
			assertOriginal(first.join(), 201);
		});
	}

	@Test
	void aFailureIsAnErrorOfTheRequestAlsoIfItsResponseIsFinal() {
		assertThat(told(spans("/payments", "throws-503", "throws-503")))
			.containsExactly("idempotency request [claimed]: failed !");
		assertThat(told(spans("/payments", "throws-402", "throws-402")))
			.containsExactly("idempotency request [claimed, storing]: completed !");
		assertThat(told(spans("/payments", "returns-503", "returns-503")))
			.containsExactly("idempotency request [claimed]: released");
	}

	@Test
	void aRideShowsItsSteps() {
		PhaseHook.once("in-ride", "ride", () -> traces.observe("in-ride"));
		PhaseHook.once("in-charge", "ride", () -> traces.observe("in-charge"));
		PhaseHook.once("in-finish", "ride", () -> traces.observe("in-finish"));
		List<Span> spans = spans("/rides", "ride", "ride");
		assertThat(told(spans)).containsExactly("idempotency request [claimed, storing]: completed",
				"idempotency atomic ride_created: completed", "idempotency foreign charge_created: completed",
				"idempotency atomic finish: completed");
		Span charge = span(spans, "idempotency foreign charge_created");
		assertThat(charge.tags()).containsOnlyKeys("operation", "mode", "step", "outcome")
			.containsEntry("step", "charge_created")
			.containsEntry("mode", "leased");
		assertThat(span(spans, "in-charge").parentId()).isEqualTo(charge.id());
		assertThat(span(spans, "in-ride").parentId()).isEqualTo(span(spans, "idempotency atomic ride_created").id());
		assertThat(span(spans, "in-finish").parentId()).isEqualTo(span(spans, "idempotency atomic finish").id());
	}

	@Test
	void aRideThatIsResumedShowsWhatIsDoneNow() {
		provider.failWith((key) -> Provider.Fault.UNAVAILABLE);
		assertThat(told(spans("/rides", "resumed", "resumed"))).containsExactly(
				"idempotency request [claimed]: interrupted !", "idempotency atomic ride_created: completed",
				"idempotency foreign charge_created: interrupted !");
		provider.failWith((key) -> Provider.Fault.NONE);
		assertThat(told(spans("/rides", "resumed", "resumed"))).containsExactly(
				"idempotency request [claimed, storing]: completed", "idempotency foreign charge_created: completed",
				"idempotency atomic finish: completed");
	}

	@Test
	void aRequestThatContinuesOnAnotherThreadIsOneSpan() {
		assertThat(told(spans("/future", "future", "future")))
			.containsExactly("idempotency request [claimed, storing]: completed");
		List<Span> spans = spans("/callable", "callable", "callable");
		assertThat(told(spans)).containsExactly("idempotency request [claimed, storing]: completed");
		assertThat(span(spans, "inside").parentId()).isEqualTo(span(spans, "idempotency request").id());
		assertThat(told(spans("/future", "throws-503", "throws-503")))
			.containsExactly("idempotency request [claimed]: failed !");
	}

	@Test
	void workOfAServiceIsObservedLikeThatOfAHandler() {
		IdempotencyOperations operations = application.context().getBean(IdempotencyOperations.class);
		IdempotencyRequest request = IdempotencyRequest.of("service", "service-key");
		Runnable execution = () -> operations.execute(request, String.class, () -> {
			traces.observe("inside");
			return "done";
		});
		assertThat(traces.record(execution)).extracting(Span::toString)
			.startsWith("idempotency request [claimed, storing]: completed");
		assertThat(traces.record(execution)).extracting(Span::toString)
			.containsExactly("idempotency request: replayed");
	}

	@Test
	void aJobIsASeparateTrace() {
		TransactionTemplate transaction = new TransactionTemplate(
				application.context().getBean(PlatformTransactionManager.class));
		StagedJobs jobs = application.context().getBean(StagedJobs.class);
		List<Span> spans = traces
			.record(() -> transaction.executeWithoutResult((status) -> jobs.stage(RECEIPT, new Labelled("receipt"))));
		Span job = span(spans, "idempotency request");
		assertThat(job.parentId()).isNullOrEmpty();
		assertThat(job.tags()).containsEntry("operation", "job.receipt").containsEntry("outcome", "completed");
		assertThat(job.events()).containsExactly("claimed", "storing");
		assertThat(application.effects("receipt")).isEqualTo(1);
	}

	@Test
	@Tag("Y5")
	void namesAndValuesDoNotGrowWithRequests() {
		Set<String> first = values(spans("/payments", "bounded-1", "bounded-1"));
		for (int i = 2; i < 6; i++) {
			assertThat(values(spans("/payments", "bounded-" + i, "bounded-" + i))).isEqualTo(first);
		}
		assertThat(first).isNotEmpty().noneMatch((value) -> value.contains("bounded-") || value.contains(ALICE));
	}

	private static Set<String> values(List<Span> spans) {
		return spans.stream()
			.filter((span) -> span.name().startsWith("idempotency "))
			.map((span) -> span.name() + Map.copyOf(span.tags()))
			.collect(Collectors.toSet());
	}

	@Test
	void thereIsATimerAndACounterOfEachEvent() {
		post("/payments", "timer", "timer");
		MeterRegistry meters = application.context().getBean(MeterRegistry.class);
		assertThat(meters.get("idempotency.stage.request")
			.tags("operation", "POST /payments", "outcome", "completed", "error", "none")
			.timer()
			.count()).isPositive();
		for (String event : List.of("claimed", "storing")) {
			assertThat(meters.get("idempotency.stage.request." + event)
				.tag("operation", "POST /payments")
				.counter()
				.count()).isPositive();
		}
	}

	@RestController
	static class Payments {

		private final Gates gates;

		private final Executor executor;

		Payments(Gates gates, @Qualifier("applicationTaskExecutor") Executor executor) {
			this.gates = gates;
			this.executor = executor;
		}

		@Idempotent
		@PostMapping("/payments")
		ResponseEntity<Map<String, Object>> pay(@RequestBody Labelled payment) {
			return ResponseEntity.status(status(payment.label())).body(effect(payment));
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/future")
		CompletableFuture<Map<String, Object>> future(@RequestBody Labelled payment) {
			return CompletableFuture.supplyAsync(() -> effect(payment), this.executor);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/callable")
		Callable<Map<String, Object>> callable(@RequestBody Labelled payment) {
			return () -> effect(payment);
		}

		private static int status(String label) {
			return label.startsWith("returns-") ? Integer.parseInt(label.substring("returns-".length())) : 201;
		}

		private Map<String, Object> effect(Labelled payment) {
			if (payment.label().equals("gated")) {
				this.gates.pass("gated");
			}
			else {
				traces.observe("inside");
			}
			if (payment.label().startsWith("throws-")) {
				throw new ResponseStatusException(
						HttpStatus.valueOf(Integer.parseInt(payment.label().substring("throws-".length()))));
			}
			return Map.of("label", payment.label());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Receipts {

		@Bean
		Gates gates() {
			return new Gates();
		}

		@Bean
		JobHandler<Labelled> receipts(Effects effects) {
			return JobHandler.of(RECEIPT, (receipt) -> effects.record(receipt.label()));
		}

	}

}
