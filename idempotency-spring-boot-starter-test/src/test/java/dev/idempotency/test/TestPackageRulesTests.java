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
package dev.idempotency.test;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

/**
 * The API for users depends on nothing else here, and nothing depends on the
 * configuration.
 */
@AnalyzeClasses(packagesOf = DeliverTwice.class, importOptions = ImportOption.DoNotIncludeTests.class)
class TestPackageRulesTests {

	@ArchTest
	static final ArchRule arrowsPointToTheApi = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage("dev.idempotency.test..")
		.layer("autoconfigure")
		.definedBy("dev.idempotency.test.autoconfigure..")
		.layer("assertj")
		.definedBy("dev.idempotency.test.assertj..")
		.layer("api")
		.definedBy("dev.idempotency.test")
		.whereLayer("autoconfigure")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("assertj")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("api")
		.mayNotAccessAnyLayer();

}
