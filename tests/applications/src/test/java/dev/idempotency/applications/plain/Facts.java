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

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.TestContextManager;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The main class of a process that starts applications and test slices one after the
 * other, and prints for each what there is to compare.
 */
public final class Facts {

	static final String PREFIX = "FACT ";

	static final String NAME = "name ";

	/**
	 * Stands between the arguments of two starts.
	 */
	static final String NEXT = "---";

	/**
	 * Keeps the facts from asking the database.
	 */
	static final String UNCONNECTED = "--facts.connected=false";

	/**
	 * Names the path of an operation that gets the same request twice.
	 */
	static final String POST = "--facts.post=";

	private static final String LIBRARY = "dev.idempotency.autoconfigure.";

	private Facts() {
	}

	/**
	 * Starts applications.
	 * @param args for each its name, the name of its class, and its arguments
	 */
	public static void main(String[] args) {
		List<String> rest = Arrays.asList(args);
		while (!rest.isEmpty()) {
			int end = rest.contains(NEXT) ? rest.indexOf(NEXT) : rest.size();
			List<String> start = rest.subList(0, end);
			print(NAME + start.get(0));
			start(start.get(1), start.subList(2, end).toArray(String[]::new));
			rest = rest.subList(Math.min(end + 1, rest.size()), rest.size());
		}
	}

	private static void start(String className, String[] arguments) {
		Class<?> type = ClassUtils.resolveClassName(className, Facts.class.getClassLoader());
		try (ConfigurableApplicationContext context = start(type, arguments)) {
			print(context, arguments);
		}
		catch (Exception ex) {
			print("failure " + ex.getClass().getName());
		}
	}

	private static ConfigurableApplicationContext start(Class<?> type, String[] arguments) {
		if (AnnotatedElementUtils.hasAnnotation(type, BootstrapWith.class)) {
			return (ConfigurableApplicationContext) new TestContextManager(type).getTestContext()
				.getApplicationContext();
		}
		return SpringApplication.run(type, arguments);
	}

	/**
	 * Prints the facts of an application that is running.
	 * @param context its context
	 * @param arguments its arguments
	 * @throws SQLException if a database does not answer
	 * @throws IOException if the application does not answer
	 * @throws InterruptedException if it was waiting for the application
	 */
	public static void print(ConfigurableApplicationContext context, String... arguments)
			throws SQLException, IOException, InterruptedException {
		for (String argument : arguments) {
			if (argument.startsWith(POST)) {
				printAnswer(context, argument.substring(POST.length()));
				printAnswer(context, argument.substring(POST.length()));
			}
		}
		printBeans(context.getBeanFactory());
		if (!List.of(arguments).contains(UNCONNECTED)) {
			for (DataSource dataSource : context.getBeansOfType(DataSource.class).values()) {
				printTables(dataSource);
			}
			context.getBeanProvider(HealthEndpoint.class).ifAvailable(Facts::printHealth);
		}
		if (context.containsBean("requestMappingHandlerMapping")) {
			context.getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
				.getHandlerMethods()
				.keySet()
				.stream()
				.map(Object::toString)
				.sorted()
				.forEach((mapping) -> print("mapping " + mapping));
		}
		print("thread idempotency "
				+ Thread.getAllStackTraces().keySet().stream().anyMatch((t) -> t.getName().startsWith("idempot")));
	}

	private static void printAnswer(ConfigurableApplicationContext context, String path)
			throws IOException, InterruptedException {
		URI uri = URI
			.create("http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port") + path);
		HttpResponse<String> answer = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(uri)
				.header("Idempotency-Key", "a-key-of-the-application")
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString("{\"id\":\"1\",\"text\":\"rent\"}"))
				.build(), BodyHandlers.ofString());
		print("answer " + answer.statusCode() + " "
				+ answer.headers().firstValue("Idempotent-Replayed").orElse("original") + " " + answer.body());
	}

	private static void printBeans(ConfigurableListableBeanFactory beans) {
		List<String> created = new ArrayList<>();
		for (String name : new TreeSet<>(Arrays.asList(beans.getBeanDefinitionNames()))) {
			print("bean " + name);
			String factory = beans.getBeanDefinition(name).getFactoryBeanName();
			String type = beans.getBeanDefinition(name).getBeanClassName();
			boolean own = (factory != null && factory.startsWith(LIBRARY))
					|| (type != null && type.startsWith(LIBRARY));
			Object bean = beans.getSingleton(name);
			if (own && bean != null) {
				created.add(name);
			}
			else if (!own && bean != null) {
				print("class " + name + " " + bean.getClass().getName().replaceAll("(Proxy|[$/@]+)[0-9a-fx]+", "$1"));
			}
		}
		created.forEach((name) -> print("created " + name));
		print("number of created " + created.size());
	}

	private static void printTables(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection();
				ResultSet tables = connection.getMetaData().getTables(null, null, "%", new String[] { "TABLE" })) {
			while (tables.next()) {
				print("table " + tables.getString("TABLE_NAME"));
			}
		}
	}

	private static void printHealth(HealthEndpoint endpoint) {
		Map<String, Object> components = new TreeMap<>();
		if (endpoint.health() instanceof CompositeHealthDescriptor health) {
			health.getComponents().forEach((name, component) -> components.put(name, component.getStatus()));
		}
		print("health " + components);
	}

	private static void print(String fact) {
		System.out.println(PREFIX + fact);
	}

}
