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
package dev.idempotency.autoconfigure.security;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import dev.idempotency.engine.identity.DeclaredText;

/**
 * The distinguished names of users of a directory, who may write their login in several
 * ways. They are compared as directories do: case, compatibility characters and
 * insignificant spaces of attribute values do not count (RFC 4514, RFC 4518).
 */
final class DistinguishedNames {

	private DistinguishedNames() {
	}

	/**
	 * Returns the text that all spellings of a name have in common.
	 * @return the text, {@code null} if there is no name or if it is malformed; a name
	 * that is too long is returned as it is
	 */
	static @Nullable String normalize(@Nullable String name) {
		if (name == null || name.length() > DeclaredText.MAX_LENGTH) {
			return name;
		}
		try {
			List<String> parts = new ArrayList<>();
			for (Rdn part : new LdapName(name).getRdns()) {
				parts.add(normalized(part));
			}
			return String.join(",", parts);
		}
		catch (NamingException ex) {
			return null;
		}
	}

	private static String normalized(Rdn part) throws NamingException {
		List<String> values = new ArrayList<>();
		NamingEnumeration<? extends Attribute> attributes = part.toAttributes().getAll();
		while (attributes.hasMore()) {
			Attribute attribute = attributes.next();
			for (int i = 0; i < attribute.size(); i++) {
				values.add(attribute.getID().toLowerCase(Locale.ROOT) + "=" + normalized(attribute.get(i)));
			}
		}
		values.sort(null);
		return String.join("+", values);
	}

	private static String normalized(Object value) {
		if (value instanceof byte[] bytes) {
			return "#" + HexFormat.of().formatHex(bytes);
		}
		String text = Normalizer.normalize(value.toString(), Normalizer.Form.NFKC)
			.toUpperCase(Locale.ROOT)
			.toLowerCase(Locale.ROOT);
		return Rdn.escapeValue(String.join(" ", StringUtils.tokenizeToStringArray(text, " \t\r\n")));
	}

}
