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
package dev.idempotency.conformance.aot;

import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.conformance.app.BaseApplication;
import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Labelled;
import dev.idempotency.phase.Phases;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * An endpoint in one transaction, one in phases, and one that calls a protected service.
 */
@Configuration(proxyBeanMethods = false)
@Import({ BaseApplication.class, AotApplication.Handlers.class })
public class AotApplication {

	static final String STARTED = "STARTED on ";

	public static void main(String[] arguments) {
		var context = (WebServerApplicationContext) SpringApplication.run(AotApplication.class, arguments);
		var server = context.getWebServer();
		if (server != null) {
			System.out.println(STARTED + server.getPort());
		}
	}

	@Bean
	Service service(Effects effects) {
		return new Service(effects);
	}

	/**
	 * The result of the service.
	 *
	 * @param id the effect
	 */
	public record Done(UUID id) {
	}

	/**
	 * Protected by an expression over its argument.
	 */
	public static class Service {

		private final Effects effects;

		Service(Effects effects) {
			this.effects = effects;
		}

		@Idempotent(key = "#request.label()")
		public Done run(Labelled request) {
			return new Done(this.effects.record(request.label()).getId());
		}

	}

	@RestController
	@ResponseStatus(HttpStatus.CREATED)
	static class Handlers {

		private final Effects effects;

		private final Service service;

		Handlers(Effects effects, Service service) {
			this.effects = effects;
			this.service = service;
		}

		@Idempotent(required = Required.TRUE)
		@PostMapping("/one")
		Done inOneTransaction(@RequestBody Labelled request) {
			return new Done(this.effects.record(request.label()).getId());
		}

		@Idempotent
		@PostMapping("/phases")
		Done inPhases(@RequestBody Labelled request, Phases phases) {
			UUID id = phases.atomic("made", UUID.class, () -> this.effects.record(request.label()).getId());
			return phases.finish(() -> new Done(id));
		}

		@PostMapping("/service")
		Done byAService(@RequestBody Labelled request) {
			return this.service.run(request);
		}

	}

}
