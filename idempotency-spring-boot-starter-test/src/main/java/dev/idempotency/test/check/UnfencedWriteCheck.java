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
package dev.idempotency.test.check;

import java.lang.reflect.Modifier;
import java.sql.Connection;

import javax.sql.DataSource;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.idempotency.autoconfigure.jdbc.BusinessDatabase;
import dev.idempotency.engine.RequestTransactions;

/**
 * Refuses writes of leased runs that use Spring's connections outside any transaction.
 * <p>
 * A data source becomes a proxy of its class. A connection that it gives to
 * {@link DataSourceUtils} for a leased run detects writes; all others come unchanged from
 * the pool, such as the connections of transaction managers and of the store.
 */
final class UnfencedWriteCheck extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final StackWalker STACK = StackWalker.getInstance();

	private final ObjectProvider<RequestTransactions> transactions;

	private final ObjectProvider<BusinessDatabase> database;

	/**
	 * Creates a check.
	 * @param transactions knows the leased run of the current thread
	 * @param database knows the data source of the business rows, to which the fence
	 * applies
	 */
	UnfencedWriteCheck(ObjectProvider<RequestTransactions> transactions, ObjectProvider<BusinessDatabase> database) {
		this.transactions = transactions;
		this.database = database;
		NameMatchMethodPointcut connections = new NameMatchMethodPointcut();
		connections.setClassFilter(DataSource.class::isAssignableFrom);
		connections.setMappedName("getConnection");
		this.advisor = new DefaultPointcutAdvisor(connections, (MethodInterceptor) this::watch);
	}

	/**
	 * Lets the proxy of a pool be injected as the pool itself, if its class permits that.
	 */
	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
		factory.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
		return factory;
	}

	private @Nullable Object watch(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		String operation = this.transactions.getObject().leasedOperation();
		return (operation != null && result instanceof Connection connection && isForSpring()
				&& isOfBusinessRows(invocation)) ? WatchedJdbc.connection(connection, () -> refuse(operation)) : result;
	}

	/**
	 * Returns whether the caller of the proxy is Spring, on behalf of code that takes
	 * part in transactions.
	 */
	private static boolean isForSpring() {
		return STACK.walk((frames) -> frames.dropWhile((frame) -> !frame.getMethodName().equals("getConnection"))
			.skip(1)
			.findFirst()
			.filter((caller) -> caller.getClassName().equals(DataSourceUtils.class.getName()))
			.isPresent());
	}

	private boolean isOfBusinessRows(MethodInvocation invocation) {
		return invocation instanceof ProxyMethodInvocation proxied
				&& proxied.getProxy() == this.database.getObject().dataSource();
	}

	private static void refuse(String operation) {
		// An active transaction belongs to another transaction manager, which may use
		// this data source differently.
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalStateException(operation
					+ " writes outside Spring's transactions. The write is not undone when the lease is lost, and a "
					+ "retry repeats it. Annotate the handler, or the method of the service that writes, with "
					+ "@Transactional; idempotency.test.check-unfenced-writes=false switches this check off.");
		}
	}

}
