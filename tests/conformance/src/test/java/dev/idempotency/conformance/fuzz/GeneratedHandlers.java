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

package dev.idempotency.conformance.fuzz;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.ModifierAdjustment;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.SuperMethodCall;

import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

import static net.bytebuddy.matcher.ElementMatchers.isAnnotatedWith;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;

/**
 * Controllers that differ by their annotations and by the visibility of their methods,
 * generated from classes that have the methods.
 */
final class GeneratedHandlers {

	private static final List<Class<?>> ALL = generateAll();

	private GeneratedHandlers() {
	}

	static List<Class<?>> all() {
		return ALL;
	}

	private static List<Class<?>> generateAll() {
		List<Class<?>> all = new ArrayList<>();
		for (Placement placement : Placement.values()) {
			for (Protection protection : List.of(Protection.UNPROTECTED, Protection.TRANSACTIONAL, Protection.LEASED)) {
				all.add(generate(FuzzHandlers.class, protection, placement));
				if (protection != Protection.TRANSACTIONAL) {
					all.add(generate(FuzzAsyncHandlers.class, protection, placement));
				}
			}
		}
		return List.copyOf(all);
	}

	private static Class<?> generate(Class<?> base, Protection protection, Placement placement) {
		DynamicType.Builder<?> builder = new ByteBuddy().subclass(base)
			.name(base.getName() + "_" + protection + "_" + placement)
			.annotateType(annotation(Controller.class),
					AnnotationDescription.Builder.ofType(RequestMapping.class)
						.defineArray("value", "/" + protection.segment() + "/" + placement.segment())
						.build());
		if (protection != Protection.UNPROTECTED) {
			builder = builder.annotateType(AnnotationDescription.Builder.ofType(Idempotent.class)
				.define("mode", Mode.valueOf(protection.name()))
				.build());
		}
		if (placement != Placement.NOWHERE) {
			builder = builder.method(isAnnotatedWith(PostMapping.class))
				.intercept(SuperMethodCall.INSTANCE)
				.annotateMethod(annotation(Transactional.class));
		}
		if (placement == Placement.PUBLIC_METHOD) {
			builder = builder.visit(new ModifierAdjustment().withMethodModifiers(isMethod(), Visibility.PUBLIC));
		}
		try (DynamicType.Unloaded<?> unloaded = builder.make()) {
			return unloaded
				.load(GeneratedHandlers.class.getClassLoader(),
						ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
				.getLoaded();
		}
	}

	private static AnnotationDescription annotation(Class<? extends Annotation> type) {
		return AnnotationDescription.Builder.ofType(type).build();
	}

}
