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
package dev.idempotency.history;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.history.Order.Outcome;
import dev.idempotency.phase.Phases;
import jakarta.persistence.EntityManager;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

import static org.springframework.security.config.Customizer.withDefaults;

/**
 * The application of a node, with each way to protect an operation.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ NodeApplication.JpaEffects.class, NodeApplication.JdbcEffects.class, NodeApplication.Places.class,
		NodeApplication.Payments.class, NodeApplication.Services.class, NodeApplication.Handlers.class,
		NodeApplication.ServiceHandlers.class, Plants.class })
class NodeApplication {

	static final String STARTED = "STARTED ";

	/** The number of attempts before this one, of the client that sends it. */
	static final String ATTEMPT = "Attempt";

	/** The property with the name of the node. */
	static final String NODE = "history.node";

	/** The attempt of the completer. */
	private static final String LAST = "1000";

	/**
	 * Runs a node.
	 * @param properties properties as {@code name=value}
	 */
	public static void main(String[] properties) {
		// A run that is killed does not leave its nodes behind.
		ProcessHandle.current()
			.parent()
			.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
		WebServerApplicationContext context = (WebServerApplicationContext) new SpringApplicationBuilder(
				NodeApplication.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"spring.application.name=history", "spring.flyway.enabled=false",
					"spring.jpa.hibernate.ddl-auto=none", "spring.jpa.open-in-view=false")
			.properties(properties)
			.run();
		System.out.println(STARTED + context.getWebServer().getPort());
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
		return (name) -> User.withUsername(name).password("{noop}" + name).roles("USER").build();
	}

	@FunctionalInterface
	interface Effects extends Consumer<Effect> {

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	@ConditionalOnClass(EntityManager.class)
	static class JpaEffects {

		@Bean
		Effects effects(EntityManager entityManager) {
			return (effect) -> {
				entityManager.persist(effect);
				entityManager.flush();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("jakarta.persistence.EntityManager")
	static class JdbcEffects {

		@Bean
		Effects effects(JdbcClient jdbc) {
			return (effect) -> jdbc.sql("insert into effect (id, order_key, part) values (?, ?, ?)")
				.params(effect.id(), effect.key(), effect.part())
				.update();
		}

	}

	/**
	 * An exception that an order asks for.
	 */
	static final class ScriptedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final Outcome outcome;

		ScriptedException(Outcome outcome) {
			this.outcome = outcome;
		}

	}

	/**
	 * The places at which a handler is held. While it is, it makes a round trip to the
	 * database for each heartbeat of its node, which tells that this node is well.
	 */
	static class Places {

		/** The time in milliseconds between two looks at a place. */
		private static final int PAUSE = 300;

		private static final String BEAT = """
				insert into beat (order_key, place) values (?, ?)
				returning exists (select from opened where opened.order_key = beat.order_key and opened.place = beat.place)""";

		private final DataSource dataSource;

		private final String node;

		Places(DataSource dataSource, @Value("${" + NODE + "}") String node) {
			this.dataSource = dataSource;
			this.node = node;
		}

		boolean hold(Order order, int attempt) {
			return order.isHeld(attempt, this.node);
		}

		void pass(Order order, int attempt, String place) {
			while (hold(order, attempt) && !isOpen(order, place)) {
				Payments.work(PAUSE);
			}
		}

		/**
		 * Asks on a connection that takes part in no transaction.
		 */
		private boolean isOpen(Order order, String place) {
			try (Connection connection = this.dataSource.getConnection();
					PreparedStatement statement = connection.prepareStatement(BEAT)) {
				statement.setString(1, order.key());
				statement.setString(2, place);
				try (ResultSet result = statement.executeQuery()) {
					return result.next() && result.getBoolean(1);
				}
			}
			catch (SQLException ex) {
				// A fault has hit this connection, and not the request.
				return false;
			}
		}

	}

	/**
	 * The service under all handlers.
	 */
	static class Payments {

		private final Effects effects;

		private final JdbcClient jdbc;

		private final Places places;

		Payments(Effects effects, JdbcClient jdbc, Places places) {
			this.effects = effects;
			this.jdbc = jdbc;
			this.places = places;
		}

		@Transactional
		public String pay(Order order, int attempt) {
			String answer = write(order, Effect.DONE);
			work(order.before(attempt));
			if (this.places.hold(order, attempt)) {
				// A fault may hold the lease in the meantime.
				this.jdbc.sql("set local lock_timeout = 0").update();
				this.places.pass(order, attempt, Order.BEFORE_COMMIT);
			}
			require(order.outcome(attempt));
			return answer;
		}

		/**
		 * Writes a row in the transaction of the caller.
		 * @return the body that tells of it
		 */
		String write(Order order, String part) {
			Effect effect = new Effect(UUID.randomUUID(), order.key(), part);
			this.effects.accept(effect);
			for (int account : order.accounts()) {
				this.jdbc.sql("update account set orders = orders + 1 where id = ?").param(account).update();
			}
			return "{\"id\":\"%s\",\"variant\":\"%s\"}".formatted(effect.id(), order.variant());
		}

		static void require(Outcome outcome) {
			if (outcome != Outcome.CREATED) {
				throw new ScriptedException(outcome);
			}
		}

		static void work(int milliseconds) {
			new CompletableFuture<Boolean>().completeOnTimeout(true, milliseconds, TimeUnit.MILLISECONDS).join();
		}

	}

	/**
	 * A protected service, whose key is an argument. The attempt is no argument, since
	 * all of them are part of the request.
	 */
	static class Services {

		private final Payments payments;

		private final ThreadLocal<Integer> attempt = ThreadLocal.withInitial(() -> 0);

		Services(Payments payments) {
			this.payments = payments;
		}

		void withAttempt(int attempt) {
			this.attempt.set(attempt);
		}

		@Idempotent(key = "#order.key()")
		public String pay(Order order) {
			int attempt = this.attempt.get();
			String answer = this.payments.pay(order, attempt);
			Payments.work(order.after(attempt));
			return answer;
		}

	}

	abstract static class ScriptedHandlers {

		@ExceptionHandler
		ResponseEntity<String> onScripted(ScriptedException ex) {
			return ResponseEntity.status(ex.outcome.status())
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"scripted\":\"" + ex.outcome + "\"}");
		}

	}

	/**
	 * An endpoint that is not protected itself.
	 */
	@RestController
	static class ServiceHandlers extends ScriptedHandlers {

		private final Services services;

		ServiceHandlers(Services services) {
			this.services = services;
		}

		@PostMapping("/service")
		ResponseEntity<String> service(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt) {
			this.services.withAttempt(attempt);
			return Handlers.created(this.services.pay(order));
		}

		/**
		 * Spring MVC answers an exception that looks as if the client had gone with a 200
		 * without a body, and a broken connection to the database looks like that, too.
		 * Protected endpoints are safe from that without this.
		 */
		@ExceptionHandler
		ResponseEntity<String> onFailure(Exception ex) {
			return Handlers.answer(Outcome.FAILED.status(), "{\"failed\":\"" + ex.getClass().getName() + "\"}");
		}

	}

	@RestController
	static class Handlers extends ScriptedHandlers {

		private final Payments payments;

		private final Places places;

		private final RestClient provider;

		Handlers(Payments payments, Places places, @Value("${provider}") String provider) {
			this.payments = payments;
			this.places = places;
			this.provider = RestClient.create(provider);
		}

		@Idempotent
		@PostMapping("/transactional")
		ResponseEntity<String> transactional(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt) {
			return pay(order, attempt);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased")
		ResponseEntity<String> leased(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt) {
			return pay(order, attempt);
		}

		@Transactional
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased-transactional")
		public ResponseEntity<String> leasedTransactional(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt) {
			return pay(order, attempt);
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/callable")
		Callable<ResponseEntity<String>> callable(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt) {
			return () -> pay(order, attempt);
		}

		@Idempotent
		@PostMapping("/ride")
		ResponseEntity<String> ride(@RequestBody Order order,
				@RequestHeader(name = ATTEMPT, defaultValue = LAST) int attempt, Phases phases) {
			phases.atomic("begun", () -> {
				this.payments.write(order, Effect.BEGUN);
				Payments.work(order.before(attempt));
			});
			String charge = phases.foreign("charged", String.class,
					(key) -> this.provider.post()
						.uri("/charges")
						.header("Idempotency-Key", key)
						.header(Provider.ORDER, order.key())
						.retrieve()
						.body(String.class));
			workAfterwards(order, attempt);
			Outcome outcome = order.outcome(attempt);
			if (outcome.status() >= 500) {
				throw new ScriptedException(outcome);
			}
			return phases.finish(() -> created(
					this.payments.write(order, Effect.DONE).replace("}", ",\"charge\":\"" + charge + "\"}")));
		}

		private ResponseEntity<String> pay(Order order, int attempt) {
			Outcome outcome = order.outcome(attempt);
			if (outcome == Outcome.REFUSED) {
				return answer(outcome.status(), "{\"refused\":true}");
			}
			String answer = this.payments.pay(order, attempt);
			workAfterwards(order, attempt);
			return created(answer);
		}

		private void workAfterwards(Order order, int attempt) {
			Payments.work(order.after(attempt));
			this.places.pass(order, attempt, Order.AFTER_COMMIT);
		}

		private static ResponseEntity<String> created(String body) {
			return answer(Outcome.CREATED.status(), body);
		}

		private static ResponseEntity<String> answer(int status, String body) {
			Plants.made(status, body);
			return ResponseEntity.status(status).contentType(MediaType.APPLICATION_JSON).body(body);
		}

		@ExceptionHandler
		ResponseEntity<String> onDeclined(HttpClientErrorException ex) {
			return ResponseEntity.status(ex.getStatusCode())
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"provider\":\"declined\"}");
		}

	}

}
