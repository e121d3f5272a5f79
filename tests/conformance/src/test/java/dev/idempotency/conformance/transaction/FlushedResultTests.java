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
package dev.idempotency.conformance.transaction;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonIgnore;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Version;
import org.hibernate.annotations.Generated;
import org.hibernate.generator.EventType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.conformance.app.Effect;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.conformance.app.RunningApplication;
import dev.idempotency.phase.Phases;

import static dev.idempotency.conformance.app.Exchanges.assertOriginal;
import static dev.idempotency.conformance.app.Exchanges.assertReplay;
import static dev.idempotency.conformance.app.Exchanges.text;
import static dev.idempotency.conformance.app.RunningApplication.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An entity in a response has the values that are committed: versions, times of changes
 * and generated columns are set when the session is flushed, which without protection is
 * the end of the service's transaction.
 */
@Tag("postgresql")
@Tag("jpa")
class FlushedResultTests {

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		application = RunningApplication.start(Prices.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/prices", "/leased/prices", "/transactional/prices", "/leased-transactional/prices" })
	void theVersionAndTheGeneratedColumnsOfAnEntityAreThoseOfItsRow(String path) {
		UUID id = UUID.randomUUID();
		HttpResponse<byte[]> created = put(path, id, "created");
		assertThat(text(created)).isEqualTo(text(put("/unprotected/prices", UUID.randomUUID(), "created")))
			.isEqualTo("{\"changes\":0,\"label\":\"created\",\"rank\":7,\"version\":0}");
		HttpResponse<byte[]> changed = put(path, id, "changed");
		assertOriginal(changed, 200);
		assertThat(text(changed)).isEqualTo("{\"changes\":1,\"label\":\"changed\",\"rank\":7,\"version\":1}");
		assertReplay(application.post(ALICE, path + "/" + id, id + "changed", Labelled.json("changed")), changed);
		assertThat(application.jdbc().queryForObject("select version from price where id = ?", Integer.class, id))
			.isEqualTo(1);
	}

	@Test
	void aServiceReturnsTheSameVersionToTheFirstCallAndToItsRepetition() {
		PriceService prices = application.context().getBean(PriceService.class);
		UUID id = UUID.randomUUID();
		prices.put(id, "created");
		Price first = prices.putOnce("changed" + id, id, "changed");
		assertThat(first.getVersion()).isEqualTo(1);
		assertThat(prices.putOnce("changed" + id, id, "changed").getVersion()).isEqualTo(1);
	}

	@Test
	void aStepThatIsResumedHasTheVersionThatItsTransactionHasCommitted() {
		UUID id = UUID.randomUUID();
		put("/prices", id, "created");
		assertOriginal(put("/phases/prices", id, "again"), 503);
		HttpResponse<byte[]> resumed = put("/phases/prices", id, "again");
		assertOriginal(resumed, 200);
		assertThat(text(resumed)).isEqualTo("{\"changes\":1,\"label\":\"again\",\"rank\":7,\"version\":1}");
	}

	/**
	 * The handler has caught the exception of a statement, which has aborted the
	 * transaction, and still has changes that are not sent.
	 */
	@Test
	void aFailureThatTheHandlerHasAnsweredIsTheAnswerThoughItsChangesCannotBeSent() {
		UUID id = UUID.randomUUID();
		put("/prices", id, "created");
		var first = application.post(ALICE, "/caught/" + id, id + "caught", Labelled.json("caught"));
		assertOriginal(first, 409);
		assertThat(text(first)).isEqualTo("caught");
		assertReplay(application.post(ALICE, "/caught/" + id, id + "caught", Labelled.json("caught")), first);
		assertThat(application.jdbc().queryForObject("select label from price where id = ?", String.class, id))
			.isEqualTo("created");
	}

	/**
	 * The form is bound to an entity of the open session in view, as many are: what was
	 * refused is not sent to the database, which would refuse it, too.
	 */
	@Test
	void aFormThatIsShownAgainWithItsErrorsHasChangedNothing() {
		UUID id = UUID.randomUUID();
		put("/prices", id, "created");
		HttpResponse<byte[]> refused = submit(id, "much too long");
		assertOriginal(refused, 200);
		assertThat(text(refused)).isEqualTo("1 errors in much too long, version 0");
		HttpResponse<byte[]> corrected = submit(id, "short");
		assertOriginal(corrected, 200);
		assertThat(text(corrected)).isEqualTo("0 errors in short, version 1");
		assertReplay(submit(id, "short"), corrected);
	}

	private static HttpResponse<byte[]> submit(UUID id, String label) {
		return application.send(application.request(ALICE, "/forms/prices/" + id)
			.header("Content-Type", "application/x-www-form-urlencoded")
			.header("Idempotency-Key", id + "form")
			.POST(BodyPublishers.ofString("label=" + label.replace(' ', '+'))));
	}

	@Test
	void aConstraintThatRefusesTheFlushIsAFailureOfTheHandler() {
		UUID id = UUID.randomUUID();
		var first = application.post(ALICE, "/prices/" + id, id + "long", Labelled.json("much too long"));
		assertOriginal(first, 409);
		assertThat(text(first)).isEqualTo("refused");
		assertReplay(application.post(ALICE, "/prices/" + id, id + "long", Labelled.json("much too long")), first);
	}

	private static HttpResponse<byte[]> put(String path, UUID id, String label) {
		return application.post(ALICE, path + "/" + id, id + label, Labelled.json(label));
	}

	/**
	 * The endpoints.
	 */
	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = { Effect.class, FlushedResultTests.class })
	@Import({ PriceController.class, PriceForm.class, PriceService.class })
	static class Prices {

	}

	@RestController
	static class PriceController {

		private final PriceService prices;

		private final Set<UUID> interrupted = ConcurrentHashMap.newKeySet();

		PriceController(PriceService prices) {
			this.prices = prices;
		}

		@PostMapping("/unprotected/prices/{id}")
		Price unprotected(@PathVariable UUID id, @RequestBody Labelled price) {
			return this.prices.put(id, price.label());
		}

		@Idempotent
		@PostMapping("/prices/{id}")
		Price put(@PathVariable UUID id, @RequestBody Labelled price) {
			return this.prices.put(id, price.label());
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/leased/prices/{id}")
		Price putLeased(@PathVariable UUID id, @RequestBody Labelled price) {
			return this.prices.put(id, price.label());
		}

		@Idempotent
		@Transactional
		@PostMapping("/transactional/prices/{id}")
		public Price putInTransaction(@PathVariable UUID id, @RequestBody Labelled price) {
			return this.prices.put(id, price.label());
		}

		@Idempotent(mode = Mode.LEASED)
		@Transactional
		@PostMapping("/leased-transactional/prices/{id}")
		public Price putInTransactionUnderALease(@PathVariable UUID id, @RequestBody Labelled price) {
			return this.prices.put(id, price.label());
		}

		/**
		 * Fails after its step, the first time.
		 */
		@Idempotent
		@PostMapping("/phases/prices/{id}")
		Price putInPhases(@PathVariable UUID id, @RequestBody Labelled price, Phases phases) {
			Price changed = phases.atomic("change", Price.class, () -> this.prices.put(id, price.label()));
			if (this.interrupted.add(id)) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
			return changed;
		}

		@Idempotent
		@PostMapping("/caught/{id}")
		ResponseEntity<String> caught(@PathVariable UUID id, @RequestBody Labelled price) {
			this.prices.put(id, price.label());
			try {
				this.prices.fail();
			}
			catch (RuntimeException ex) {
				return ResponseEntity.status(HttpStatus.CONFLICT).body("caught");
			}
			return ResponseEntity.ok("not reached");
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.CONFLICT)
		String refused(DataIntegrityViolationException ex) {
			return "refused";
		}

	}

	@Controller
	static class PriceForm {

		private final EntityManager entityManager;

		PriceForm(EntityManager entityManager) {
			this.entityManager = entityManager;
		}

		@ModelAttribute
		Price price(@PathVariable UUID id) {
			return this.entityManager.find(Price.class, id);
		}

		@Idempotent
		@PostMapping("/forms/prices/{id}")
		ModelAndView change(@ModelAttribute Price price, BindingResult binding) {
			if (price.getLabel().length() > 10) {
				binding.rejectValue("label", "long");
			}
			View view = (model, request, response) -> response.getWriter()
				.print("%d errors in %s, version %d".formatted(binding.getErrorCount(), price.getLabel(),
						price.getVersion()));
			return new ModelAndView(view);
		}

	}

	static class PriceService {

		private final EntityManager entityManager;

		private final JdbcTemplate jdbc;

		PriceService(EntityManager entityManager, JdbcTemplate jdbc) {
			this.entityManager = entityManager;
			this.jdbc = jdbc;
		}

		@Transactional
		public Price put(UUID id, String label) {
			Price price = this.entityManager.find(Price.class, id);
			if (price == null) {
				price = new Price(id, label);
				this.entityManager.persist(price);
			}
			price.setLabel(label);
			return price;
		}

		@Idempotent(key = "#key")
		@Transactional
		public Price putOnce(String key, UUID id, String label) {
			return put(id, label);
		}

		/**
		 * Neither Spring nor Hibernate learns that the transaction is aborted.
		 */
		public void fail() {
			this.jdbc.queryForObject("select 1 / 0", Integer.class);
		}

	}

	@Entity(name = "price")
	@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
	static class Price {

		@Id
		@JsonIgnore
		private UUID id = new UUID(0, 0);

		@Column(length = 10)
		private String label = "";

		@Version
		private int version;

		private int changes;

		@Generated(event = EventType.INSERT)
		@Column(columnDefinition = "integer default 7")
		private Integer rank;

		protected Price() {
		}

		Price(UUID id, String label) {
			this.id = id;
			this.label = label;
		}

		@PreUpdate
		void count() {
			this.changes++;
		}

		public void setLabel(String label) {
			this.label = label;
		}

		public String getLabel() {
			return this.label;
		}

		public int getVersion() {
			return this.version;
		}

		public int getChanges() {
			return this.changes;
		}

		public Integer getRank() {
			return this.rank;
		}

	}

}
