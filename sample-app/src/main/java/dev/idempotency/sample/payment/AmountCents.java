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
package dev.idempotency.sample.payment;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import org.jspecify.annotations.Nullable;

/**
 * A whole number of cents. The value is a {@link BigDecimal} because an integer would
 * silently lose the half cent of {@code 50.5}, while {@code 50} and {@code 50.0} are the
 * same amount.
 */
@Documented
@Target({ ElementType.FIELD, ElementType.PARAMETER })
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = AmountCents.Validator.class)
@interface AmountCents {

	String message() default "must be a whole number of cents from 1 to 99999999";

	Class<?>[] groups() default {};

	Class<? extends Payload>[] payload() default {};

	/**
	 * Checks the number.
	 */
	final class Validator implements ConstraintValidator<AmountCents, BigDecimal> {

		private static final BigDecimal MAXIMUM = new BigDecimal(99_999_999);

		@Override
		public boolean isValid(@Nullable BigDecimal amount, ConstraintValidatorContext context) {
			return amount != null && amount.signum() > 0 && amount.compareTo(MAXIMUM) <= 0
					&& amount.stripTrailingZeros().scale() <= 0;
		}

	}

}
