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

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

import dev.idempotency.InFlightPolicy;

import static dev.idempotency.autoconfigure.PropertyRules.requirePositive;

/**
 * The settings for a duplicate that arrives during the first delivery.
 *
 * @param policy Treatment of a duplicate that arrives during the first delivery: refuse
 * it immediately, or let it wait for the answer.
 * @param maxWait Longest time that a duplicate waits for the answer of the first
 * delivery.
 * @param formPolicy Treatment of a duplicate of a form, whose key is in a form field:
 * refuse it immediately, or let it wait for the answer.
 * @param retryAfter Delay in Retry-After, which a refused duplicate should wait before
 * its retry.
 */
public record InFlightProperties(@DefaultValue("reject") InFlightPolicy policy,
		@Name("wait") @DefaultValue("5s") Duration maxWait, @DefaultValue("wait") InFlightPolicy formPolicy,
		@DefaultValue("1s") Duration retryAfter) {

	static final InFlightProperties DEFAULTS = new InFlightProperties(InFlightPolicy.REJECT, Duration.ofSeconds(5),
			InFlightPolicy.WAIT, Duration.ofSeconds(1));

	public InFlightProperties {
		requirePositive(maxWait, "in-flight.wait", "5s");
		requirePositive(retryAfter, "in-flight.retry-after", "1s");
	}

	public Duration formWait() {
		return (this.formPolicy == InFlightPolicy.WAIT) ? this.maxWait : Duration.ZERO;
	}

}
