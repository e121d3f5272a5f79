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
package dev.idempotency.engine.codec;

import java.io.Serial;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * JSON with an order that is the same in every JVM, for comparisons.
 */
public final class CanonicalJson {

	private CanonicalJson() {
	}

	/**
	 * Derives a mapper that writes equal values as equal bytes, and different values as
	 * different bytes.
	 * @param mapper the mapper of the application
	 * @return a mapper with the same annotations and modules
	 */
	public static JsonMapper mapper(JsonMapper mapper) {
		SetSerializer sets = new SetSerializer();
		JsonMapper canonical = ExactJson.lossless(mapper)
			.rebuild()
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.addModule(new SimpleModule("idempotency-fingerprint").addSerializer(Set.class, sets))
			.build();
		sets.mapper = canonical;
		return canonical;
	}

	/**
	 * Derives a mapper like {@link #mapper} that leaves out what has no value: to it,
	 * {@code null} and an absent member of an object are the same, whatever annotations
	 * say.
	 * @param mapper the mapper of the application
	 * @return a mapper for fingerprints of values whose classes may change
	 */
	public static JsonMapper presentValues(JsonMapper mapper) {
		SetSerializer sets = new SetSerializer();
		JsonMapper present = mapper(mapper).rebuild()
			.annotationIntrospector(new AnnotationIntrospectorPair(new PresentValues(),
					mapper.serializationConfig().getAnnotationIntrospector()))
			.changeDefaultPropertyInclusion((inclusion) -> PresentValues.INCLUSION)
			.disable(JsonNodeFeature.WRITE_NULL_PROPERTIES)
			.addModule(new SimpleModule("idempotency-present").addSerializer(Set.class, sets))
			.build();
		sets.mapper = present;
		return present;
	}

	/**
	 * Includes a property if it has a value.
	 */
	private static final class PresentValues extends NopAnnotationIntrospector {

		private static final JsonInclude.Value INCLUSION = JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT,
				JsonInclude.Include.NON_ABSENT);

		@Serial
		private static final long serialVersionUID = 1L;

		@Override
		public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
			return INCLUSION;
		}

	}

	/**
	 * Sorts the elements of sets. Their order has no meaning, and the order of
	 * {@link Set#of} differs from JVM to JVM.
	 */
	@SuppressWarnings("rawtypes")
	private static final class SetSerializer extends StdSerializer<Set> {

		private JsonMapper mapper = JsonMapper.shared();

		SetSerializer() {
			super(Set.class);
		}

		@Override
		@SuppressWarnings("unchecked")
		public void serialize(Set value, JsonGenerator generator, SerializationContext context) {
			generator.writeStartArray();
			value.stream().map(this.mapper::writeValueAsString).sorted().forEach((element) -> {
				generator.writeRawValue((String) element);
			});
			generator.writeEndArray();
		}

	}

}
