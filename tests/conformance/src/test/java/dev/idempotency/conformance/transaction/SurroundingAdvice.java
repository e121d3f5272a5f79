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
package dev.idempotency.conformance.transaction;

import java.util.Set;
import java.util.concurrent.Executor;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import dev.idempotency.conformance.app.Effects;
import dev.idempotency.conformance.app.Parallel;

/**
 * Typical advice of applications around their controllers.
 */
@Configuration(proxyBeanMethods = false)
class SurroundingAdvice {

	private static String path() {
		RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
		return ((ServletRequestAttributes) attributes).getRequest().getRequestURI();
	}

	/**
	 * Commits whatever happens behind it.
	 */
	@Bean
	FilterRegistrationBean<Filter> ownTransactionFilter(PlatformTransactionManager transactionManager,
			Effects effects) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
			TransactionStatus status = transactionManager.getTransaction(null);
			effects.record("around");
			try {
				chain.doFilter(request, response);
			}
			catch (ServletException ex) {
				((HttpServletResponse) response).sendError(500, "refused");
			}
			finally {
				transactionManager.commit(status);
			}
		});
		registration.addUrlPatterns("/filter/*");
		return registration;
	}

	@Bean
	FilterRegistrationBean<Filter> flushingFilter() {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
			response.getOutputStream().print("early ");
			response.flushBuffer();
			chain.doFilter(request, response);
		});
		registration.addUrlPatterns("/flushed");
		return registration;
	}

	@Bean
	WebMvcConfigurer transactionAroundHandlers(ObjectProvider<PlatformTransactionManager> transactionManager) {
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(new TransactionInterceptor(transactionManager.getObject()))
					.addPathPatterns("/interceptor/**");
			}

		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DefaultPointcutAdvisor ownTransactionAdvisor(ObjectProvider<PlatformTransactionManager> transactionManager,
			ObjectProvider<Effects> effects) {
		MethodInterceptor advice = (invocation) -> {
			if (!path().startsWith("/advised")) {
				return invocation.proceed();
			}
			return new TransactionTemplate(transactionManager.getObject()).execute((status) -> {
				effects.getObject().record("around");
				try {
					return invocation.proceed();
				}
				catch (Throwable ex) {
					throw (ex instanceof RuntimeException unchecked) ? unchecked : new IllegalStateException(ex);
				}
			});
		};
		return advisor(advice);
	}

	/**
	 * As bulkheads do, with what is bound to the thread taken along, or without.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DefaultPointcutAdvisor ownThreadAdvisor() {
		Executor other = (task) -> Parallel.start(() -> {
			task.run();
			return null;
		}).join();
		MethodInterceptor advice = (invocation) -> {
			RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
			if (attributes == null || !Set.of("/elsewhere", "/detached").contains(path())) {
				return invocation.proceed();
			}
			Object[] result = new Object[2];
			boolean taken = path().equals("/elsewhere");
			other.execute(() -> {
				RequestContextHolder.setRequestAttributes(taken ? attributes : null);
				try {
					result[0] = invocation.proceed();
				}
				catch (Throwable ex) {
					result[1] = ex;
				}
			});
			if (result[1] != null) {
				throw (Throwable) result[1];
			}
			return result[0];
		};
		return advisor(advice);
	}

	private static DefaultPointcutAdvisor advisor(MethodInterceptor advice) {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
				AnnotationMatchingPointcut.forClassAnnotation(RestController.class), advice);
		advisor.setOrder(0);
		return advisor;
	}

	/**
	 * Commits whatever happens in between.
	 */
	private static final class TransactionInterceptor implements HandlerInterceptor {

		private final PlatformTransactionManager transactionManager;

		TransactionInterceptor(PlatformTransactionManager transactionManager) {
			this.transactionManager = transactionManager;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			request.setAttribute("transaction", this.transactionManager.getTransaction(null));
			return true;
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				Exception ex) {
			this.transactionManager.commit((TransactionStatus) request.getAttribute("transaction"));
		}

	}

}
