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
package dev.idempotency;

import java.lang.reflect.Field;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.apache.commons.logging.Log;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.idempotency.engine.OpenTransaction;
import dev.idempotency.engine.OutgoingKey;

import dev.idempotency.Idempotent.Scope;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Arrows point down to the engine and the SPI, never up, and in no circle.
 */
@AnalyzeClasses(packagesOf = Idempotent.class, importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTests {

	@ArchTest
	static final ArchRule arrowsPointDown = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage("dev.idempotency..")
		.layer("autoconfigure")
		.definedBy("dev.idempotency.autoconfigure..")
		.layer("openapi")
		.definedBy("dev.idempotency.openapi..")
		.layer("web")
		.definedBy("dev.idempotency.web..")
		.layer("messaging")
		.definedBy("dev.idempotency.messaging..")
		.layer("aop")
		.definedBy("dev.idempotency.aop..")
		.layer("maintenance")
		.definedBy("dev.idempotency.maintenance..")
		.layer("job")
		.definedBy("dev.idempotency.job..")
		.layer("outbox")
		.definedBy("dev.idempotency.outbox..")
		.layer("cache")
		.definedBy("dev.idempotency.cache..")
		.layer("client")
		.definedBy("dev.idempotency.client..")
		.layer("observability")
		.definedBy("dev.idempotency.observability..")
		.layer("phase")
		.definedBy("dev.idempotency.phase..")
		.layer("engine")
		.definedBy("dev.idempotency.engine..")
		.layer("store.jpa")
		.definedBy("dev.idempotency.store.jpa..")
		.layer("store.jdbc")
		.definedBy("dev.idempotency.store.jdbc..")
		.layer("store")
		.definedBy("dev.idempotency.store")
		.layer("database")
		.definedBy("dev.idempotency.database..")
		.layer("security")
		.definedBy("dev.idempotency.security..")
		.layer("logging")
		.definedBy("dev.idempotency.logging..")
		.layer("api")
		.definedBy("dev.idempotency")
		.whereLayer("autoconfigure")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("openapi")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("web")
		.mayOnlyBeAccessedByLayers("autoconfigure", "openapi")
		.whereLayer("messaging")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("messaging")
		.mayOnlyAccessLayers("aop", "outbox", "engine", "store", "api")
		.whereLayer("aop")
		.mayOnlyBeAccessedByLayers("autoconfigure", "web", "messaging")
		.whereLayer("maintenance")
		.mayOnlyBeAccessedByLayers("autoconfigure", "observability")
		.whereLayer("job")
		.mayOnlyBeAccessedByLayers("autoconfigure", "phase", "observability")
		.whereLayer("outbox")
		.mayOnlyBeAccessedByLayers("autoconfigure", "messaging", "observability")
		.whereLayer("outbox")
		.mayOnlyAccessLayers("engine", "database", "logging", "api")
		.whereLayer("cache")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("security")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("security")
		.mayOnlyAccessLayers("engine", "logging", "api")
		.whereLayer("client")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("client")
		.mayOnlyAccessLayers("engine", "phase", "logging", "api")
		.whereLayer("maintenance")
		.mayOnlyAccessLayers("engine", "store", "logging", "api")
		.whereLayer("observability")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("store.jpa")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("store.jdbc")
		.mayOnlyBeAccessedByLayers("autoconfigure", "store.jpa")
		.whereLayer("database")
		.mayOnlyBeAccessedByLayers("autoconfigure", "store.jdbc", "store.jpa", "job", "outbox")
		.whereLayer("database")
		.mayOnlyAccessLayers("api")
		.whereLayer("phase")
		.mayOnlyBeAccessedByLayers("autoconfigure", "web", "aop")
		.whereLayer("engine")
		.mayOnlyBeAccessedByLayers("autoconfigure", "web", "aop", "messaging", "phase", "maintenance", "job", "outbox",
				"observability", "cache", "client", "security")
		.whereLayer("logging")
		.mayNotAccessAnyLayer()
		.whereLayer("api")
		.mayNotAccessAnyLayer();

	/**
	 * So that each line has an id, and no message of an exception.
	 */
	@ArchTest
	static final ArchRule whatOperatorsReadIsALogEvent = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.logging..")
		.should()
		.callMethodWhere(DescribedPredicate.describe("log at INFO or above",
				(call) -> call.getTargetOwner().isAssignableTo(Log.class)
						&& Set.of("info", "warn", "error", "fatal").contains(call.getName())));

	@ArchTest
	static final ArchRule theStoreDoesNotKnowTheEngine = noClasses().that()
		.resideInAPackage("dev.idempotency.store..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("dev.idempotency.engine..", "dev.idempotency.web..", "dev.idempotency.aop..");

	@ArchTest
	static final ArchRule theEngineKnowsNeitherSpringMvcNorJpa = noClasses().that()
		.resideInAPackage("dev.idempotency.engine..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.web..", "org.springframework.http..", "jakarta.servlet..",
				"jakarta.persistence..", "org.hibernate..", "dev.idempotency.store.jdbc..",
				"dev.idempotency.store.jpa..");

	/**
	 * So that an application without JPA has the same store.
	 */
	@ArchTest
	static final ArchRule theStoreInSqlKnowsNeitherJpaNorSpringBoot = noClasses().that()
		.resideInAPackage("dev.idempotency.store.jdbc..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("jakarta.persistence..", "org.hibernate..", "org.springframework.orm..",
				"org.springframework.boot..", "org.springframework.web..", "jakarta.servlet..",
				"dev.idempotency.store.jpa..");

	@ArchTest
	static final ArchRule theApiKnowsNoServlets = noClasses().that()
		.resideInAPackage("dev.idempotency")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("jakarta.servlet..", "jakarta.persistence..", "org.springframework.web..",
				"org.springframework.http..", "org.hibernate..");

	/**
	 * But for the observation that Spring MVC itself has made of the request, which is
	 * told of a replay.
	 */
	@ArchTest
	static final ArchRule micrometerIsOneListener = noClasses().that()
		.resideOutsideOfPackages("dev.idempotency.observability..", "dev.idempotency.autoconfigure..")
		.and()
		.doNotHaveSimpleName("ObservedOutcome")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.micrometer..");

	@ArchTest
	static final ArchRule jobsAndTheOutboxKnowNeitherSpringMvcNorJpa = noClasses().that()
		.resideInAnyPackage("dev.idempotency.job..", "dev.idempotency.outbox..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.web..", "org.springframework.http..", "jakarta.servlet..",
				"jakarta.persistence..", "org.hibernate..", "dev.idempotency.store.jdbc..",
				"dev.idempotency.store.jpa..");

	/**
	 * So that an application with one of them runs without the other, or without both.
	 */
	@ArchTest
	static final ArchRule brokersAreOptional = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.autoconfigure..")
		.and()
		.haveNameNotMatching("dev\\.idempotency\\.messaging\\.(IdempotentKafka|Kafka|DeferredAcknowledgment).*")
		.and()
		.haveNameNotMatching("dev\\.idempotency\\.messaging\\.(IdempotentRabbit|Rabbit|DeferredChannel).*")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.kafka..", "org.apache.kafka..", "org.springframework.amqp..",
				"com.rabbitmq..");

	/**
	 * So that an application compiles without it.
	 */
	@ArchTest
	static final ArchRule whatUsersSeeOfJobsDoesNotShowDbScheduler = noClasses().that()
		.haveNameMatching("dev\\.idempotency\\.job\\.(StagedJobs|JobHandler|JobType|JobId|DeadJob)")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("com.github.kagkarlsson..");

	/**
	 * So that an application runs without it, and without its modules for tokens.
	 */
	@ArchTest
	static final ArchRule springSecurityIsOptional = noClasses().that()
		.resideOutsideOfPackages("dev.idempotency.security..", "dev.idempotency.autoconfigure..")
		.and()
		.doNotHaveSimpleName("SpringCommandSecurity")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.security..");

	@ArchTest
	static final ArchRule springdocIsOptional = noClasses().that()
		.resideOutsideOfPackages("dev.idempotency.openapi..", "dev.idempotency.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springdoc..", "io.swagger..");

	@ArchTest
	static final ArchRule clientsKnowNeitherStoreNorServer = noClasses().that()
		.resideInAPackage("dev.idempotency.client..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("dev.idempotency.store..", "jakarta.servlet..", "jakarta.persistence..",
				"org.springframework.transaction..");

	/**
	 * So that an application runs without it.
	 */
	@ArchTest
	static final ArchRule webFluxIsOptional = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.autoconfigure..")
		.and()
		.haveNameNotMatching("dev\\.idempotency\\.client\\.(IdempotencyExchangeFilter|ReactiveIdempotencyKeys)(\\$.*)?")
		.and()
		.haveNameNotMatching(".*DefaultTransientFailurePolicy\\$ReactiveResponses")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.web.reactive..", "reactor..");

	@ArchTest
	static final ArchRule thereAreNoCircles = slices().matching("dev.idempotency.(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule nobodySleeps = noClasses().should()
		.callMethod(Thread.class, "sleep", long.class)
		.orShould()
		.callMethod(Thread.class, "sleep", long.class, int.class)
		.orShould()
		.callMethod(java.util.concurrent.TimeUnit.class, "sleep", long.class);

	@ArchTest
	static final ArchRule nothingIsInjectedIntoFields = noFields().should().beAnnotatedWith(Autowired.class);

	/**
	 * But for what a thread is in, which static methods have to know: keys are for code
	 * that has nothing injected, as Spring's own holders are.
	 */
	@ArchTest
	static final ArchRule thereIsNoStaticMutableState = fields().that()
		.areStatic()
		.and()
		.areNotDeclaredIn(OpenTransaction.class)
		.and()
		.areNotDeclaredIn(OutgoingKey.class)
		.should(beConstant());

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL)
		.andShould()
		.haveSimpleNameEndingWith("AutoConfiguration");

	@ArchTest
	static final ArchRule theirBeansArePackagePrivate = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.bePackagePrivate();

	@ArchTest
	static final ArchRule nothingElseOfTheirPackageIsPublicButTheProperties = classes().that()
		.resideInAPackage("dev.idempotency.autoconfigure")
		.and()
		.areTopLevelClasses()
		.and()
		.arePublic()
		.should()
		.beAnnotatedWith(AutoConfiguration.class)
		.orShould()
		.haveSimpleName("IdempotencyProperties")
		.orShould()
		.haveNameMatching(".*\\.Default(Mode|Scope)");

	private static ArchCondition<JavaField> beConstant() {
		return new ArchCondition<>("be final and of a type that does not change") {

			@Override
			public void check(JavaField field, ConditionEvents events) {
				boolean constant = field.getModifiers().contains(JavaModifier.FINAL)
						&& !field.getRawType().isAssignableTo(ThreadLocal.class)
						&& !field.getRawType().getPackageName().startsWith("java.util.concurrent.atomic")
						&& !isMutableMap(field);
				events.add(new SimpleConditionEvent(field,
						constant || field.getModifiers().contains(JavaModifier.SYNTHETIC),
						field.getFullName() + " can change"));
			}

		};
	}

	/**
	 * A collection in a constant must be one that refuses changes.
	 */
	private static boolean isMutableMap(JavaField field) {
		Class<?> type = field.getRawType().reflect();
		if (!java.util.Map.class.isAssignableFrom(type) && !java.util.Collection.class.isAssignableFrom(type)) {
			return false;
		}
		try {
			Field reflected = field.reflect();
			reflected.setAccessible(true);
			String implementation = reflected.get(null).getClass().getName();
			return !implementation.contains("Immutable") && !implementation.contains("Unmodifiable");
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
