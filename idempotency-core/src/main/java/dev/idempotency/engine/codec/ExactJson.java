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
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Values as JSON by their declared type, for later readers who must get the same value.
 * <ol>
 * <li>A value is read back when it is written. Otherwise an unreadable value would be
 * detected when its effects can no longer be rolled back.</li>
 * <li>The value read has to equal the value written. Otherwise a retry would silently get
 * another value than the first caller, for example one without the fields of a
 * subclass.</li>
 * <li>Settings of the application's mapper that omit something (empty values, the zone or
 * the fraction of a time) do not apply, and sets keep their order.</li>
 * </ol>
 */
public final class ExactJson {

	private static final byte[] NOTHING = {};

	private final JsonMapper mapper;

	private final ValueComparison comparison;

	/**
	 * Creates a format.
	 * @param mapper the mapper of the application
	 */
	public ExactJson(JsonMapper mapper) {
		this.mapper = lossless(mapper).rebuild()
			.addModule(new SimpleModule("idempotency-exact").addAbstractTypeMapping(Set.class, LinkedHashSet.class))
			.build();
		this.comparison = new ValueComparison(canonical(mapper));
	}

	/**
	 * Writes a value.
	 * @param type its declared type
	 * @param value the value
	 * @return JSON
	 * @throws InexactException if it cannot be written, or is not read back as an equal
	 * value
	 */
	public byte[] write(Type type, @Nullable Object value) {
		try {
			JavaType declared = this.mapper.constructType(type);
			byte[] json = this.mapper.writerFor(declared).writeValueAsBytes(value);
			Object read = this.mapper.readValue(json, declared);
			String difference = this.comparison.findDifference(value, read);
			if (difference != null) {
				throw new InexactException(difference, null);
			}
			return json;
		}
		catch (JacksonException ex) {
			throw new InexactException(ex.getOriginalMessage(), ex);
		}
	}

	/**
	 * Reads a value.
	 * @param type its declared type
	 * @param json the JSON, {@code null} for none
	 * @return the value
	 * @throws JacksonException if it can no longer be read
	 */
	public @Nullable Object read(Type type, byte @Nullable [] json) {
		return this.mapper.readValue((json != null) ? json : NOTHING, this.mapper.constructType(type));
	}

	/**
	 * Derives a mapper that writes equal values as equal bytes, in every JVM, and leaves
	 * out what has no value: to it, {@code null} and an absent member of an object are
	 * the same, whatever annotations say.
	 * @param mapper the mapper of the application
	 * @return a mapper for fingerprints of values whose classes may change
	 */
	public static JsonMapper presentValues(JsonMapper mapper) {
		SetSerializer sets = new SetSerializer();
		JsonMapper present = canonical(mapper).rebuild()
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
	 * Derives a mapper that writes equal values as equal bytes, in every JVM, and
	 * different values as different bytes.
	 */
	private static JsonMapper canonical(JsonMapper mapper) {
		SetSerializer sets = new SetSerializer();
		JsonMapper canonical = lossless(mapper).rebuild()
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.addModule(new SimpleModule("idempotency-fingerprint").addSerializer(Set.class, sets))
			.build();
		sets.mapper = canonical;
		return canonical;
	}

	/**
	 * Derives a mapper whose settings omit nothing.
	 */
	private static JsonMapper lossless(JsonMapper mapper) {
		return mapper.rebuild()
			.changeDefaultPropertyInclusion((inclusion) -> inclusion.withValueInclusion(JsonInclude.Include.ALWAYS)
				.withContentInclusion(JsonInclude.Include.ALWAYS))
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE, DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
					DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
			.build();
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

	/**
	 * Signals a value that JSON cannot represent.
	 */
	public static final class InexactException extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		InexactException(String reason, @Nullable Throwable cause) {
			super(reason, cause);
		}

		/**
		 * Returns the reason.
		 * @return a sentence without a full stop, and without parts of the value
		 */
		public String reason() {
			return String.valueOf(getMessage());
		}

	}

}
