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
package dev.idempotency.sample;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * A test of the page in a real browser. Faster than in the sample, which has times for
 * humans.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SampleTest
@Import(Browser.class)
@Tag("browser")
@TestPropertySource(properties = { "idempotency.lease.duration=3s", "idempotency.completer.after=1s",
		"idempotency.completer.interval=200ms", "idempotency.completer.max-attempts=2",
		"idempotency.reaper.interval=500ms" })
@interface PageTest {

}
