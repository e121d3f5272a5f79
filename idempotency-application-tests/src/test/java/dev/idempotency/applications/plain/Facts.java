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
package dev.idempotency.applications.plain;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import javax.sql.DataSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The main class of a process that starts an application, prints what there is to
 * compare, and ends.
 */
public final class Facts {

	static final String PREFIX = "FACT ";

	static final String CONNECTED = "--facts.connected=";

	private static final String LIBRARY = "dev.idempotency.autoconfigure.";

	private Facts() {
	}

	/**
	 * Start an application.
	 * @param args the name of its class, and its arguments
	 * @throws Exception if it does not start
	 */
	public static void main(String[] args) throws Exception {
		String[] own = Arrays.copyOfRange(args, 1, args.length);
		Class<?> application = ClassUtils.forName(args[0], null);
		try (ConfigurableApplicationContext context = SpringApplication.run(application, own)) {
			printBeans(context);
			boolean connected = Arrays.stream(own).noneMatch((CONNECTED + "false")::equals);
			if (connected) {
				for (DataSource dataSource : context.getBeansOfType(DataSource.class).values()) {
					printTables(dataSource);
				}
				printHealth(context);
			}
			context.getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
				.getHandlerMethods()
				.keySet()
				.stream()
				.map(Object::toString)
				.sorted()
				.forEach((mapping) -> print("mapping " + mapping));
			print("thread idempotency "
					+ Thread.getAllStackTraces().keySet().stream().anyMatch((t) -> t.getName().startsWith("idempot")));
		}
	}

	private static void printBeans(ConfigurableApplicationContext context) {
		int created = 0;
		for (String name : new TreeSet<>(Arrays.asList(context.getBeanDefinitionNames()))) {
			print("bean " + name);
			String factory = context.getBeanFactory().getBeanDefinition(name).getFactoryBeanName();
			String type = context.getBeanFactory().getBeanDefinition(name).getBeanClassName();
			boolean own = (factory != null && factory.startsWith(LIBRARY))
					|| (type != null && type.startsWith(LIBRARY));
			if (own && context.getBeanFactory().containsSingleton(name)) {
				created++;
				print("created " + name);
			}
		}
		print("number of created " + created);
	}

	private static void printTables(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection();
				ResultSet tables = connection.getMetaData().getTables(null, null, "%", new String[] { "TABLE" })) {
			while (tables.next()) {
				print("table " + tables.getString("TABLE_NAME"));
			}
		}
	}

	private static void printHealth(ConfigurableApplicationContext context) {
		Map<String, Object> components = new TreeMap<>();
		if (context.getBean(HealthEndpoint.class).health() instanceof CompositeHealthDescriptor health) {
			health.getComponents().forEach((name, component) -> components.put(name, component.getStatus()));
		}
		print("health " + components);
	}

	private static void print(String fact) {
		System.out.println(PREFIX + fact);
	}

}
