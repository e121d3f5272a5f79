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
package dev.idempotency.applications.transfers;

import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.phase.Phases;

/**
 * An application that books in one database and keeps its archive in another.
 */
@SpringBootApplication(exclude = HibernateJpaAutoConfiguration.class)
public class TransfersApplication {

	@Bean
	@Primary
	DataSource books(@Value("${books.url}") String url, @Value("${user}") String user,
			@Value("${password}") String password) {
		return new DriverManagerDataSource(url, user, password);
	}

	@Bean
	DataSource archive(@Value("${archive.url}") String url, @Value("${user}") String user,
			@Value("${password}") String password) {
		return new DriverManagerDataSource(url, user, password);
	}

	@Bean
	@Primary
	JdbcTransactionManager booksTransactions(@Qualifier("books") DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	JdbcTransactionManager archiveTransactions(@Qualifier("archive") DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Bean
	SecurityFilterChain openToAll(HttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable())
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.build();
	}

	/**
	 * An endpoint that declares the transaction manager of the archive.
	 */
	@RestController
	@ConditionalOnProperty(name = "declared", havingValue = "transactional")
	static class Archive {

		@Transactional("archiveTransactions")
		@Idempotent
		@PostMapping("/declared")
		public String declared() {
			return "declared";
		}

	}

	/**
	 * An endpoint that declares it in mode leased.
	 */
	@RestController
	@ConditionalOnProperty(name = "declared", havingValue = "leased")
	static class LeasedArchive {

		@Transactional("archiveTransactions")
		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/declared-under-a-lease")
		public String declared() {
			return "declared";
		}

	}

	/**
	 * A service that declares it.
	 */
	@Service
	@ConditionalOnProperty(name = "declared", havingValue = "service")
	static class ArchiveService {

		@Transactional("archiveTransactions")
		@Idempotent(key = "#number")
		public void declared(String number) {
		}

	}

	/**
	 * An endpoint that declares no transaction manager.
	 */
	@RestController
	@ConditionalOnProperty(name = "undeclared", havingValue = "endpoint")
	static class Books {

		@Transactional
		@Idempotent
		@PostMapping("/undeclared")
		public String undeclared() {
			return "undeclared";
		}

	}

	/**
	 * A service that declares none.
	 */
	@Service
	@ConditionalOnProperty(name = "undeclared", havingValue = "service")
	static class BooksService {

		@Transactional
		@Idempotent(key = "#number")
		public void undeclared(String number) {
		}

	}

	/**
	 * Endpoints that write in one database, and in both.
	 */
	@RestController
	static class Transfers {

		private final JdbcClient archive;

		private final TransactionTemplate archiving;

		Transfers(@Qualifier("archive") DataSource archive,
				@Qualifier("archiveTransactions") JdbcTransactionManager archiving) {
			this.archive = JdbcClient.create(archive);
			this.archiving = new TransactionTemplate(archiving);
		}

		@Idempotent
		@PostMapping("/plain")
		String plain() {
			return "done";
		}

		@Idempotent
		@PostMapping("/looking")
		String looking() {
			TransactionTemplate readOnly = new TransactionTemplate(this.archiving.getTransactionManager());
			readOnly.setReadOnly(true);
			readOnly.executeWithoutResult((status) -> this.archive.sql("select 1").query().singleValue());
			return "seen";
		}

		@Idempotent(mode = Mode.LEASED)
		@PostMapping("/archived-under-a-lease")
		String archivedUnderALease() {
			return archived();
		}

		@Idempotent
		@PostMapping("/archived-in-a-step")
		String archivedInAStep(Phases phases) {
			return phases.foreign("archived", String.class, (key) -> archived());
		}

		@Idempotent
		@PostMapping("/archived")
		String archived() {
			this.archiving.executeWithoutResult(
					(status) -> this.archive.sql("create table if not exists archived (id bigint)").update());
			return "archived";
		}

	}

}
