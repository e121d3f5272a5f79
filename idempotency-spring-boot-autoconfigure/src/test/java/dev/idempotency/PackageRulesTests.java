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

import dev.idempotency.engine.RequestTransactions.OpenTransaction;
import dev.idempotency.engine.identity.OutgoingKey;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Rules within the jars, which no POM can hold: packages in no circle, optional
 * dependencies in the classes that need them, and habits.
 */
@AnalyzeClasses(packagesOf = Idempotent.class, importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTests {

	@ArchTest
	static final ArchRule arrowsOfTheCorePointDown = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage("dev.idempotency..")
		.layer("aop")
		.definedBy("dev.idempotency.aop..")
		.layer("maintenance")
		.definedBy("dev.idempotency.maintenance..")
		.layer("engine")
		.definedBy("dev.idempotency.engine..")
		.layer("phase")
		.definedBy("dev.idempotency.phase..")
		.layer("job")
		.definedBy("dev.idempotency.job")
		.layer("store")
		.definedBy("dev.idempotency.store")
		.layer("observation")
		.definedBy("dev.idempotency.observation")
		.layer("logging")
		.definedBy("dev.idempotency.logging..")
		.layer("api")
		.definedBy("dev.idempotency", "dev.idempotency.account", "dev.idempotency.codec", "dev.idempotency.exception",
				"dev.idempotency.operator")
		.whereLayer("maintenance")
		.mayOnlyAccessLayers("engine", "store", "logging", "api")
		.whereLayer("engine")
		.mayOnlyAccessLayers("phase", "job", "store", "observation", "logging", "api")
		.whereLayer("store")
		.mayOnlyAccessLayers("api")
		.whereLayer("phase")
		.mayOnlyAccessLayers("job", "api")
		.whereLayer("job")
		.mayOnlyAccessLayers("api")
		.whereLayer("observation")
		.mayOnlyAccessLayers("logging", "api")
		.whereLayer("logging")
		.mayNotAccessAnyLayer()
		.whereLayer("api")
		.mayNotAccessAnyLayer();

	/**
	 * Gives each line an id, and keeps messages of exceptions out of the log.
	 */
	@ArchTest
	static final ArchRule whatOperatorsReadIsALogEvent = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.logging..")
		.should()
		.callMethodWhere(DescribedPredicate.describe("log at INFO or above",
				(call) -> call.getTargetOwner().isAssignableTo(Log.class)
						&& Set.of("info", "warn", "error", "fatal").contains(call.getName())));

	/**
	 * Lets an application with one of them run without the other, or without both.
	 */
	@ArchTest
	static final ArchRule brokersAreOptional = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.autoconfigure..")
		.and()
		.haveNameNotMatching("dev\\.idempotency\\.messaging\\.(Kafka|Rabbit).*")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.kafka..", "org.apache.kafka..", "org.springframework.amqp..",
				"com.rabbitmq..");

	@ArchTest
	static final ArchRule theStoreOfADatabaseKnowsNoOther = noClasses().that()
		.haveSimpleNameStartingWith("Postgres")
		.or()
		.haveSimpleNameStartingWith("RefusedCommit")
		.should()
		.dependOnClassesThat()
		.haveNameMatching("dev\\.idempotency\\.store\\.jdbc\\.H2.*");

	/**
	 * Lets an application run without it, and without its modules for tokens.
	 */
	@ArchTest
	static final ArchRule springSecurityIsOptional = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.security..");

	@ArchTest
	static final ArchRule springdocIsOptional = noClasses().that()
		.resideOutsideOfPackage("dev.idempotency.autoconfigure..")
		.and()
		.resideOutsideOfPackage("dev.idempotency.web.openapi..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springdoc..", "io.swagger..");

	/**
	 * Lets an application run without it.
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

	/**
	 * Byte code of the application is read by checks of the test starter only.
	 */
	@ArchTest
	static final ArchRule noClassFileIsRead = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.asm..", "org.springframework.core.type.classreading..");

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
	 * Static state is confined to the state of a thread, which static methods have to
	 * know: keys are for code that has nothing injected, as Spring's own holders are.
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
