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

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Compares a value with the value that was read from its JSON.
 * <ol>
 * <li>Arrays, collections, maps and records are compared by their elements, objects of
 * other classes by their {@code equals} method, or else by their JSON, which has all
 * properties of a subclass.</li>
 * <li>An object of the application has to be read as an object of the same class.</li>
 * <li>Where the declared type does not name a class of the JDK, as in
 * {@code Map<String, Object>}, numbers, strings and times are read as JSON has them.</li>
 * </ol>
 *
 * @param canonical writes equal values as equal bytes
 */
record ValueComparison(JsonMapper canonical) {

	/**
	 * Finds the first difference.
	 * @param written the value written
	 * @param read the value read
	 * @return its place and classes, {@code null} if there is none
	 */
	@Nullable String findDifference(@Nullable Object written, @Nullable Object read) {
		return find("", written, read);
	}

	private @Nullable String find(String place, @Nullable Object written, @Nullable Object read) {
		if (written == read) {
			return null;
		}
		if (written == null || read == null) {
			return difference(place, written, read);
		}
		if (written instanceof Optional<?> one && read instanceof Optional<?> other) {
			return find(place, one.orElse(null), other.orElse(null));
		}
		if (written instanceof Map<?, ?> one && read instanceof Map<?, ?> other) {
			return ofMaps(place, one, other);
		}
		if (written instanceof Collection<?> one && read instanceof Collection<?> other) {
			return (one instanceof Set) ? ofSets(place, one, other) : ofElements(place, one, other);
		}
		Class<?> type = ClassUtils.getUserClass(written);
		if (type.isArray() && type == read.getClass() && !type.getComponentType().isPrimitive()) {
			return ofElements(place, Arrays.asList((Object[]) written), Arrays.asList((Object[]) read));
		}
		if (written instanceof Record && type == read.getClass()) {
			return ofRecords(place, type, written, read);
		}
		return isSame(type, written, read) ? null : difference(place, written, read);
	}

	private @Nullable String ofMaps(String place, Map<?, ?> written, Map<?, ?> read) {
		if (written.size() != read.size() || !read.keySet().containsAll(written.keySet())) {
			return hasSameJson(written, read) ? null : difference(place, written, read);
		}
		return first(written.keySet().stream().map((key) -> find(place + "[…]", written.get(key), read.get(key))));
	}

	private @Nullable String ofSets(String place, Collection<?> written, Collection<?> read) {
		return (written.equals(read) || hasSameJson(written, read)) ? null : difference(place, written, read);
	}

	private @Nullable String ofElements(String place, Collection<?> written, Collection<?> read) {
		if (written.size() != read.size()) {
			return difference(place, written, read);
		}
		Iterator<?> others = read.iterator();
		int index = 0;
		for (Object element : written) {
			String found = find(place + "[" + index + "]", element, others.next());
			if (found != null) {
				return found;
			}
			index++;
		}
		return null;
	}

	private @Nullable String ofRecords(String place, Class<?> type, Object written, Object read) {
		return first(Stream.of(type.getRecordComponents())
			.map((component) -> find(place.isEmpty() ? component.getName() : place + "." + component.getName(),
					value(component, written), value(component, read))));
	}

	private static @Nullable Object value(RecordComponent component, Object owner) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		return ReflectionUtils.invokeMethod(component.getAccessor(), owner);
	}

	private static @Nullable String first(Stream<@Nullable String> differences) {
		return differences.filter(Objects::nonNull).findFirst().orElse(null);
	}

	private boolean isSame(Class<?> type, Object written, Object read) {
		if (type.isArray()) {
			return type == read.getClass() && Objects.deepEquals(written, read);
		}
		if (isOfPlatform(type) && type != read.getClass()) {
			return isOfPlatform(read.getClass()) && !isContainer(read) && hasSameJson(written, read);
		}
		if (written instanceof BigDecimal one && read instanceof BigDecimal other) {
			return one.compareTo(other) == 0;
		}
		if (written instanceof TreeNode && read instanceof TreeNode) {
			return hasSameJson(written, read);
		}
		if (type != ClassUtils.getUserClass(read)) {
			return false;
		}
		return hasEquals(type) ? written.equals(read) : hasSameJson(written, read);
	}

	/**
	 * Returns whether a value is the generic form of JSON. The JSON of an object such as
	 * a future or an iterator does not represent it.
	 */
	private static boolean isContainer(Object read) {
		return read instanceof Map || read instanceof Collection;
	}

	private static boolean isOfPlatform(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("javax.");
	}

	/**
	 * Returns whether a class compares by value. Generated methods compare arrays by
	 * identity.
	 */
	private static boolean hasEquals(Class<?> type) {
		Method equals = ReflectionUtils.findMethod(type, "equals", Object.class);
		if (equals == null || equals.getDeclaringClass() == Object.class) {
			return false;
		}
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			for (Field field : each.getDeclaredFields()) {
				if (field.getType().isArray() && !Modifier.isStatic(field.getModifiers())) {
					return false;
				}
			}
		}
		return true;
	}

	private boolean hasSameJson(Object written, Object read) {
		try {
			if (Arrays.equals(this.canonical.writeValueAsBytes(written), this.canonical.writeValueAsBytes(read))) {
				return true;
			}
			JsonNode tree = this.canonical.valueToTree(written);
			return tree.equals(ValueComparison::compare, this.canonical.valueToTree(read));
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	private static int compare(JsonNode one, JsonNode other) {
		if (one.equals(other)) {
			return 0;
		}
		return (one.isNumber() && other.isNumber()) ? one.decimalValue().compareTo(other.decimalValue()) : 1;
	}

	private static String difference(String place, @Nullable Object written, @Nullable Object read) {
		String subject = place.isEmpty() ? "it" : "'" + place + "'";
		String from = name(written);
		String to = name(read);
		return from.equals(to) ? subject + ", a " + from + ", is not equal to what is read"
				: subject + " is a " + from + ", and is read as a " + to;
	}

	private static String name(@Nullable Object value) {
		return (value != null) ? value.getClass().getTypeName() : "null";
	}

}
