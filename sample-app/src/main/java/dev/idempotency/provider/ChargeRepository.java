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
package dev.idempotency.provider;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Charges, always those of one merchant. Its statements are part of the transaction that
 * also stores the answer.
 */
@Repository
class ChargeRepository {

	private static final TypeReference<Map<String, String>> METADATA = new TypeReference<>() {
	};

	private final JdbcClient jdbc;

	private final JsonMapper mapper;

	ChargeRepository(JdbcClient jdbc, JsonMapper mapper) {
		this.jdbc = jdbc;
		this.mapper = mapper;
	}

	Charge insert(String merchant, ChargeForm form) {
		Charge charge = Charge.succeeded("ch_" + UUID.randomUUID().toString().replace("-", ""), form.amount(),
				Instant.now().getEpochSecond(), form.currency().toLowerCase(Locale.ROOT), form.description(),
				form.metadata());
		this.jdbc
			.sql("""
					insert into charge (id, merchant, amount, currency, source, description, metadata, created_at)
					values (:id, :merchant, :amount, :currency, :source, :description, cast(:metadata as json), :created)""")
			.param("id", charge.id())
			.param("merchant", merchant)
			.param("amount", charge.amount())
			.param("currency", charge.currency())
			.param("source", form.source())
			.param("description", charge.description())
			.param("metadata", this.mapper.writeValueAsString(charge.metadata()))
			.param("created", Instant.ofEpochSecond(charge.created()).atOffset(ZoneOffset.UTC))
			.update();
		return charge;
	}

	Optional<Charge> find(String merchant, String id) {
		return this.jdbc.sql("""
				select id, amount, currency, description, metadata, created_at from charge
				where id = :id and merchant = :merchant""")
			.param("id", id)
			.param("merchant", merchant)
			.query(this::read)
			.optional();
	}

	long count(String merchant) {
		return this.jdbc.sql("select count(*) from charge where merchant = :merchant")
			.param("merchant", merchant)
			.query(Long.class)
			.single();
	}

	private Charge read(ResultSet row, int number) throws SQLException {
		return Charge.succeeded(row.getString("id"), row.getLong("amount"),
				row.getObject("created_at", OffsetDateTime.class).toEpochSecond(), row.getString("currency"),
				row.getString("description"), this.mapper.readValue(row.getString("metadata"), METADATA));
	}

}
