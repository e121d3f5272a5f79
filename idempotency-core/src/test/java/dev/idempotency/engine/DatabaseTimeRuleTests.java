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
package dev.idempotency.engine;

import java.time.Clock;
import java.time.Instant;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases and times to live follow the database's clock because the code below the web
 * layer asks no other for the time of day. {@code System.nanoTime}, which measures, is no
 * clock.
 */
class DatabaseTimeRuleTests {

	private static final ArchRule RULE = noClasses().should()
		.callCodeUnitWhere(new DescribedPredicate<>("the time of day in the JVM is read") {

			@Override
			public boolean test(JavaCall<?> call) {
				String owner = call.getTargetOwner().getName();
				String name = call.getTarget().getName();
				return (owner.startsWith("java.time.") && name.equals("now")) || owner.equals(Clock.class.getName())
						|| (owner.equals(System.class.getName()) && name.equals("currentTimeMillis"))
						|| (owner.equals("java.util.Date") && name.equals("<init>")
								&& call.getTarget().getRawParameterTypes().isEmpty());
			}

		});

	@Test
	@Tag("X16")
	void theEngineAndTheStoresReadNoClockOfTheJvm() {
		JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages("dev.idempotency.engine", "dev.idempotency.store");
		assertThat(classes).isNotEmpty();
		RULE.check(classes);
	}

	@Test
	@Tag("X16")
	void theRuleFindsWhatItForbids() {
		assertThat(RULE.evaluate(new ClassFileImporter().importClasses(ReadsClock.class)).hasViolation()).isTrue();
	}

	/**
	 * A violation of the rule.
	 */
	static final class ReadsClock {

		Instant now() {
			return Instant.now();
		}

	}

}
