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
package dev.idempotency.conformance.job;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import dev.idempotency.conformance.app.Actuator;
import dev.idempotency.conformance.app.MigratedDatabase;
import dev.idempotency.conformance.app.RunningApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The operators' view of dead jobs, and the actions on them. A job dies at its first
 * failure here.
 */
@Tag("Y7")
class JobActuatorTests {

	private static RunningApplication application;

	private static Actuator actuator;

	private final String label = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		application = JobApplication.start(MigratedDatabase.create(), "idempotency.job.max-attempts=1",
				"management.endpoints.web.exposure.include=idempotency,idempotencyjobs",
				"management.endpoint.idempotencyjobs.access=unrestricted");
		actuator = new Actuator(application);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private String stageDead() {
		UUID id = JobApplication.stage(application, JobApplication.FAIL, this.label);
		await().until(() -> dead().contains(id.toString()));
		return id.toString();
	}

	private static List<String> dead() {
		return actuator.get("idempotencyjobs").path("jobs").findValuesAsString("id");
	}

	private static int act(String id, String action) {
		return actuator.send("idempotencyjobs/" + id + "/" + action, Map.of()).statusCode();
	}

	@Test
	void aDeadJobIsListedWithoutItsPayloadAndCounted() {
		String id = stageDead();
		JsonNode jobs = actuator.get("idempotencyjobs?limit=1000");
		JsonNode job = jobs.path("jobs")
			.valueStream()
			.filter((one) -> Actuator.text(one, "id").equals(id))
			.findFirst()
			.orElseThrow();
		assertThat(Actuator.text(job, "type")).isEqualTo(JobApplication.FAIL.name());
		assertThat(job.path("attempts").asInt()).isEqualTo(1);
		assertThat(Actuator.text(job, "lastError")).contains("IllegalStateException");
		assertThat(jobs.toString()).doesNotContain(this.label, "secret");
		assertThat(actuator.get("idempotency").path("deadJobs").asInt()).isEqualTo(jobs.path("jobs").size());
	}

	@Test
	void aDeadJobThatIsRetriedRuns() {
		String id = stageDead();
		application.context().getBean(JobApplication.Repaired.class).labels().add(this.label);
		assertThat(act(id, "retry")).isEqualTo(204);
		await().until(() -> application.effects(this.label) == 1);
		assertThat(dead()).doesNotContain(id);
	}

	@Test
	void aDeadJobThatIsDiscardedIsGone() {
		String id = stageDead();
		assertThat(act(id, "discard")).isEqualTo(204);
		assertThat(dead()).doesNotContain(id);
		assertThat(act(id, "retry")).isEqualTo(400);
		assertThat(application.effects(this.label)).isZero();
	}

	@Test
	void whatIsNoActionOnADeadJobIsRefused() {
		String id = stageDead();
		assertThat(act(id, "forget")).isEqualTo(400);
		assertThat(act("nothing", "retry")).isEqualTo(400);
		assertThat(act(UUID.randomUUID().toString(), "discard")).isEqualTo(400);
		assertThat(dead()).contains(id);
	}

	@Test
	void theActionsOfRequestsAreNotOpenedByThoseOfJobs() {
		HttpResponse<byte[]> refused = actuator.send("idempotency/purge", Map.of("account", "alice"));
		assertThat(refused.statusCode()).isIn(404, 405);
	}

}
