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
package dev.idempotency.conformance.shard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.IdempotencyListener;
import dev.idempotency.IdempotencyNotification;
import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Gates;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.job.JobHandler;
import dev.idempotency.job.JobType;
import dev.idempotency.job.StagedJobs;
import dev.idempotency.outbox.EventSender;
import dev.idempotency.outbox.Outbox;
import dev.idempotency.outbox.OutboxMessage;
import dev.idempotency.outbox.OutgoingEvent;
import dev.idempotency.phase.Phases;
import dev.idempotency.testsupport.JavaProcess;
import dev.idempotency.testsupport.TestDatabase;

import static org.springframework.security.config.Customizer.withDefaults;

/**
 * A node of an application with two shards, in this JVM or in a separate one, where it
 * stops in the middle of its phases.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ AccountShards.class, ShardFilter.class, ShardedDatabase.class, ShardApplication.Payments.class,
		ShardApplication.Handlers.class })
class ShardApplication {

	static final JobType<Labelled> PAY = JobType.of("pay", Labelled.class);

	static final JobType<Labelled> FAIL = JobType.of("fail", Labelled.class);

	static final String HALF_WAY = "HALF_WAY";

	private static final String STOPS = "conformance.shard.stops";

	/**
	 * Without a default shard, whoever connects when the application starts is refused.
	 */
	private static final List<String> PROPERTIES = List.of("spring.jpa.hibernate.ddl-auto=none",
			"spring.jpa.database-platform=org.hibernate.dialect.PostgreSQLDialect",
			"spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false", "spring.jpa.open-in-view=false",
			"spring.flyway.enabled=false", "idempotency.lease.duration=2s", "idempotency.lease.heartbeat=500ms",
			"idempotency.completer.after=0", "idempotency.completer.interval=50ms",
			"idempotency.completer.backoff.initial=50ms", "idempotency.reaper.interval=100ms",
			"idempotency.job.polling-interval=100ms", "idempotency.job.max-attempts=1",
			"idempotency.outbox.enabled=true", "idempotency.outbox.polling-interval=100ms",
			"management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always",
			"management.endpoint.idempotency.access=unrestricted");

	public static void main(String[] arguments) {
		TestDatabase north = new TestDatabase(arguments[0], arguments[2], arguments[3]);
		TestDatabase south = new TestDatabase(arguments[1], arguments[2], arguments[3]);
		RunningApplication node = start(north, south, STOPS + "=true", "idempotency.completer.enabled=false");
		System.out.println("STARTED " + node.port());
	}

	static RunningApplication start(TestDatabase north, TestDatabase south, String... properties) {
		List<String> all = new ArrayList<>(PROPERTIES);
		for (String shard : List.of(AccountShards.NORTH, AccountShards.SOUTH)) {
			TestDatabase database = shard.equals(AccountShards.NORTH) ? north : south;
			all.add("shards." + shard + ".jdbc-url=" + database.jdbcUrl());
			all.add("shards." + shard + ".username=" + database.username());
			all.add("shards." + shard + ".password=" + database.password());
			all.add("shards." + shard + ".maximum-pool-size=6");
			all.add("shards." + shard + ".connection-timeout=1000");
		}
		all.addAll(List.of(properties));
		return RunningApplication.startAlone(north, List.of(ShardApplication.class), all.toArray(new String[0]));
	}

	static JavaProcess startProcess(TestDatabase north, TestDatabase south) {
		return JavaProcess.start(ShardApplication.class,
				List.of(north.jdbcUrl(), south.jdbcUrl(), north.username(), north.password()));
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable())
			.httpBasic(withDefaults())
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("{noop}alice").roles("USER").build(),
				User.withUsername("bob").password("{noop}bob").roles("USER").build());
	}

	@Bean
	Gates gates() {
		return new Gates();
	}

	@Bean
	Notifications notifications() {
		return new Notifications(new ConcurrentLinkedQueue<>());
	}

	@Bean
	Sender sender() {
		return new Sender(new ConcurrentLinkedQueue<>());
	}

	@Bean
	JobHandler<Labelled> payHandler(Payments payments) {
		return JobHandler.of(PAY, (payload) -> payments.pay("job " + payload.label()));
	}

	@Bean
	JobHandler<Labelled> failHandler() {
		return JobHandler.of(FAIL, (payload) -> {
			throw new IllegalStateException("A job that always fails");
		});
	}

	/**
	 * The lines that the library has logged.
	 */
	record Notifications(Queue<IdempotencyNotification> all) implements IdempotencyListener {

		@Override
		public void onNotification(IdempotencyNotification notification) {
			this.all.add(notification);
		}

	}

	/**
	 * A broker, as far as tests need one.
	 */
	record Sender(Queue<String> sent) implements EventSender {

		@Override
		public CompletableFuture<?> send(OutgoingEvent event) {
			if (event.type().equals("refused")) {
				return CompletableFuture.failedFuture(new IllegalArgumentException("Refused"));
			}
			this.sent.add(event.key() + " " + new String(event.payload(), StandardCharsets.UTF_8));
			return CompletableFuture.completedFuture(null);
		}

	}

	/**
	 * The business rows.
	 */
	@Service
	static class Payments {

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		public String pay(String label) {
			UUID id = UUID.randomUUID();
			this.jdbc.sql("insert into payment (id, label) values (?, ?)").params(id, label).update();
			return id.toString();
		}

	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	static class Handlers {

		private final Payments payments;

		private final StagedJobs jobs;

		private final Outbox outbox;

		private final Gates gates;

		private final boolean stops;

		Handlers(Payments payments, StagedJobs jobs, Outbox outbox, Gates gates,
				@Value("${" + STOPS + ":false}") boolean stops) {
			this.payments = payments;
			this.jobs = jobs;
			this.outbox = outbox;
			this.gates = gates;
			this.stops = stops;
		}

		@Idempotent
		@PostMapping("/transactional")
		Map<String, String> transactional(@RequestBody Labelled body) {
			return Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		Map<String, String> leased(@RequestBody Labelled body) {
			return Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/gated")
		Map<String, String> gated(@RequestBody Labelled body) {
			this.gates.pass(body.label());
			return Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/callable")
		Callable<Map<String, String>> callable(@RequestBody Labelled body) {
			return () -> Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent
		@PostMapping("/phases")
		Map<String, String> phases(@RequestBody Labelled body, Phases phases) {
			String id = phases.atomic("paid", String.class, () -> this.payments.pay(body.label()));
			if (this.stops) {
				System.out.println(HALF_WAY);
				LockSupport.park();
			}
			return phases.finish(() -> Map.of("id", id));
		}

		@Idempotent
		@PostMapping("/staged")
		Map<String, String> staged(@RequestBody Labelled body) {
			this.jobs.stage(PAY, body);
			this.outbox.publish(OutboxMessage.to("payments", body).withKey(body.label()));
			return Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent
		@PostMapping("/failing")
		Map<String, String> failing(@RequestBody Labelled body) {
			this.jobs.stage(FAIL, body);
			this.outbox.publish(OutboxMessage.to("payments", body).withType("refused").withKey(body.label()));
			return Map.of("id", this.payments.pay(body.label()));
		}

		@Idempotent
		@PostMapping("/stuck")
		Map<String, String> stuck(@RequestBody Labelled body, Phases phases) {
			phases.atomic("paid", String.class, () -> this.payments.pay(body.label()));
			throw new IllegalStateException("A request that always fails");
		}

	}

}
