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

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import dev.idempotency.OutcomePolicy;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.LeaseStore;

/**
 * The planted defect of a server, in its store, its outcome policy, its transactions and
 * its ledger. Requests of unprotected handlers are left alone.
 */
class PlantedDefects implements BeanPostProcessor, TransactionExecutionListener {

	private final AtomicReference<@Nullable Plant> planted = new AtomicReference<>();

	private final ObjectProvider<DataSource> dataSource;

	private final List<Connection> leaked = new ArrayList<>();

	PlantedDefects(ObjectProvider<DataSource> dataSource) {
		this.dataSource = dataSource;
	}

	void plant(Plant defect) {
		this.planted.set(defect);
	}

	/**
	 * Removes the defect, and what it has left behind in the pool.
	 */
	void removeAll() throws SQLException {
		this.planted.set(null);
		for (Connection connection : this.leaked) {
			connection.close();
		}
		this.leaked.clear();
	}

	boolean is(Plant defect) {
		return this.planted.get() == defect;
	}

	/**
	 * Returns whether a defect is planted, and removes it.
	 */
	boolean take(Plant defect) {
		return this.planted.compareAndSet(defect, null);
	}

	void leak(String sql, boolean isKept) throws SQLException {
		Connection connection = this.dataSource.getObject().getConnection();
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		if (isKept) {
			this.leaked.add(connection);
		}
		else {
			connection.close();
		}
	}

	static boolean isProtected() {
		RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
		return attributes instanceof ServletRequestAttributes servlet
				&& !servlet.getRequest().getRequestURI().startsWith("/unprotected/");
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof IdempotencyStore) {
			return proxy(bean, this::store);
		}
		if (bean instanceof OutcomePolicy) {
			return proxy(bean, this::outcome);
		}
		if (bean instanceof FuzzLedger) {
			return proxy(bean, this::ledger);
		}
		return bean;
	}

	private static Object proxy(Object bean, MethodInterceptor advice) {
		ProxyFactory proxy = new ProxyFactory(bean);
		proxy.setProxyTargetClass(bean instanceof FuzzLedger);
		proxy.addAdvice(advice);
		return proxy.getProxy(bean.getClass().getClassLoader());
	}

	private @Nullable Object store(MethodInvocation invocation) throws Throwable {
		String method = invocation.getMethod().getName();
		boolean isFinish = method.startsWith("finish");
		boolean isLeased = isFinish && invocation.getArguments().length == 2;
		Plant plant = this.planted.get();
		if (plant == null) {
			return invocation.proceed();
		}
		return switch (plant) {
			case NOTHING_ENFORCED -> method.equals("acquire") || method.equals("probe") ? new ClaimResult.Acquired()
					: isFinish ? true : invocation.proceed();
			case CLAIM_FOR_ALL -> claimForAll(invocation);
			case FORGOTTEN_RECORD -> {
				if (isLeased) {
					LeaseStore.class.getMethod("release", invocation.getMethod().getParameterTypes()[0])
						.invoke(invocation.getThis(), invocation.getArguments()[0]);
				}
				yield isFinish ? true : invocation.proceed();
			}
			case LEASE_BESIDE_RECORD -> isLeased ? finishBesideLease(invocation) : invocation.proceed();
			case LOST_RELEASE -> method.equals("release") ? null : invocation.proceed();
			case REFUSED_CLAIM -> {
				if (method.equals("lease")) {
					throw new IllegalStateException("planted");
				}
				yield invocation.proceed();
			}
			case FORGOTTEN_STEP -> method.equals("advance") ? true : invocation.proceed();
			default -> invocation.proceed();
		};
	}

	private static @Nullable Object claimForAll(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		return (result instanceof ClaimResult.Busy) ? new ClaimResult.Acquired() : result;
	}

	private @Nullable Object finishBesideLease(MethodInvocation invocation) throws Throwable {
		JdbcTemplate jdbc = new JdbcTemplate(this.dataSource.getObject());
		// Under an identity that nobody asks for: a replay would clear it.
		jdbc.execute("create table if not exists kept (like idempotency_lease)");
		jdbc.update("insert into kept select * from idempotency_lease where namespace <> ''");
		jdbc.update("update kept set id = sha256(id)");
		Object won = invocation.proceed();
		jdbc.update("insert into idempotency_lease select * from kept on conflict do nothing");
		return won;
	}

	private @Nullable Object outcome(MethodInvocation invocation) throws Throwable {
		if (invocation.getMethod().getName().equals("isFinal") && isProtected()) {
			if (is(Plant.EVERYTHING_FINAL)) {
				return true;
			}
			if (is(Plant.NOTHING_FINAL)) {
				return false;
			}
		}
		return invocation.proceed();
	}

	private @Nullable Object ledger(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (is(Plant.DOUBLED_EFFECT) && isProtected()) {
			new JdbcTemplate(this.dataSource.getObject()).update("insert into effect (id, label) values (?, ?)",
					UUID.randomUUID(), invocation.getArguments()[1]);
		}
		return result;
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		if (is(Plant.COMMIT_FOR_ROLLBACK) && isProtected()) {
			onConnection(Connection::commit);
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (is(Plant.SUCCESS_OF_ROLLED_BACK_ROWS) && isProtected()) {
			onConnection(Connection::rollback);
		}
	}

	private void onConnection(ConnectionAction action) {
		try {
			action.on(DataSourceUtils.getConnection(this.dataSource.getObject()));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@FunctionalInterface
	private interface ConnectionAction {

		void on(Connection connection) throws SQLException;

	}

}
