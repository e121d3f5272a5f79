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
package dev.idempotency.autoconfigure.actuator;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * Settings of the health contributor.
 *
 * @param maxOpenAge Longest time that a request may be without an answer before the
 * health status is degraded.
 */
@ConfigurationProperties("idempotency.health")
record HealthProperties(@DefaultValue("15m") Duration maxOpenAge) {

	HealthProperties {
		requirePositive(maxOpenAge, "health.max-open-age", "15m");
	}

}
