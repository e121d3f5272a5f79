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
package dev.idempotency.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Start-up failures because of a key or a secret that is written in the wrong place or
 * form.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecretFailureTests {

	private static final String SECRET = "YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcy4uLi4=";

	private static final String OTHER = "YW5vdGhlciBvbmUgb2YgdGhpcnR5LXR3byBieXRlcy4=";

	@ParameterizedTest
	@CsvSource({ "idempotency.codec.keys, --idempotency.codec.type=aes-gcm",
			"idempotency.codec.active-key, --idempotency.codec.keys.first=" + OTHER,
			"idempotency.codec.keys.second, --idempotency.codec.keys.first=" + OTHER,
			"idempotency.codec.keys.short, --idempotency.codec.keys.first=a" + OTHER, "idempotency.secret, --unrelated",
			"idempotency.secret.fingerprint, --unrelated", "idempotency.secret.earlier-fingerprints, --unrelated" })
	void noFailureShowsASecret(String property, String other, CapturedOutput output) {
		Throwable failure = catchThrowable(
				() -> new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
					.run("--" + property + "=" + SECRET, other));
		assertThat(failure).isNotNull();
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		assertThat(output).contains("APPLICATION FAILED TO START", "The property idempotency.")
			.doesNotContain(SECRET, OTHER);
		assertThat(trace.toString()).doesNotContain(SECRET, OTHER);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, IdempotencyAutoConfiguration.class })
	@Import(TestContexts.OwnStore.class)
	static class Application {

	}

}
