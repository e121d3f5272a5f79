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
package dev.idempotency.autoconfigure.jdbc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;

import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import dev.idempotency.database.TableNames;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Loads the library's scripts with the names of the tables that are in use.
 */
final class NamedScripts extends PathMatchingResourcePatternResolver {

	private final TableNames names;

	NamedScripts(TableNames names) {
		super(NamedScripts.class.getClassLoader());
		this.names = names;
	}

	@Override
	public Resource getResource(String location) {
		return named(super.getResource(location));
	}

	@Override
	public Resource[] getResources(String pattern) throws IOException {
		Resource[] found = super.getResources(pattern);
		Resource[] named = new Resource[found.length];
		for (int i = 0; i < found.length; i++) {
			named[i] = named(found[i]);
		}
		return named;
	}

	private Resource named(Resource resource) {
		String file = resource.getFilename();
		return (file != null && file.endsWith(".sql") && resource.exists()) ? new Script(resource, this.names)
				: resource;
	}

	private static final class Script extends AbstractResource {

		private final Resource script;

		private final TableNames names;

		Script(Resource script, TableNames names) {
			this.script = script;
			this.names = names;
		}

		@Override
		public boolean exists() {
			return true;
		}

		@Override
		public URI getURI() throws IOException {
			return this.script.getURI();
		}

		@Override
		public String getFilename() {
			return String.valueOf(this.script.getFilename());
		}

		@Override
		public String getDescription() {
			return this.script.getDescription();
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new ByteArrayInputStream(this.names.inScript(this.script.getContentAsString(UTF_8)).getBytes(UTF_8));
		}

	}

}
