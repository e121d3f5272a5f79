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
package dev.idempotency.sample.provider;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The payment provider and its client.
 *
 * @param apiKey the client's secret key for the provider
 * @param latency the delay of the provider before it processes a request, until
 * {@code PUT /provider/faults} changes it; from 0, at most ten minutes
 * @param connectTimeout the client's time limit for a connection; more than 0
 * @param readTimeout the client's time limit for an answer; more than 0
 * @param retries the number of the client's retries, with the same key, after a transient
 * failure; 0 for none
 */
@Validated
@ConfigurationProperties("sample.provider")
record ProviderProperties(
		@DefaultValue("sk_test_rocket_rides") @Pattern(regexp = "[\\x21-\\x7e]+",
				message = "must be characters that can be in a header, such as sk_test_rocket_rides") String apiKey,
		@DefaultValue("0s") @NotNull @DurationMin(message = "must not be negative: write 0s or more") @DurationMax(
				minutes = 10, message = "must be at most 10m") Duration latency,
		@DefaultValue("1s") @NotNull @DurationMin(millis = 1, message = "must be at least 1ms") Duration connectTimeout,
		@DefaultValue("5s") @NotNull @DurationMin(millis = 1, message = "must be at least 1ms") Duration readTimeout,
		@DefaultValue("2") @Min(value = 0, message = "must not be negative: write 0 to never retry") @Max(value = 10,
				message = "must be at most 10: a request that waits for its client's retries should end") int retries) {
}
