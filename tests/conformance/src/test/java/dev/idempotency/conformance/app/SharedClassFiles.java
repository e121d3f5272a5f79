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
package dev.idempotency.conformance.app;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * The class files of configurations, read once for all applications of this JVM: each
 * start looks at some hundred, most of them of auto-configurations, in 200 jars.
 */
final class SharedClassFiles implements MetadataReaderFactory {

	/**
	 * Spring Boot registers a factory with this name if there is none.
	 */
	private static final String NAME = "org.springframework.boot.autoconfigure.internalCachingMetadataReaderFactory";

	private static final SharedClassFiles INSTANCE = new SharedClassFiles();

	private final MetadataReaderFactory files = MetadataReaderFactory.create(SharedClassFiles.class.getClassLoader());

	private final Map<Object, MetadataReader> read = new ConcurrentHashMap<>();

	private SharedClassFiles() {
	}

	static ApplicationContextInitializer<GenericApplicationContext> initializer() {
		return (context) -> context.registerBeanDefinition(NAME,
				new RootBeanDefinition(SharedClassFiles.class, () -> INSTANCE));
	}

	@Override
	public ResourceLoader getResourceLoader() {
		return this.files.getResourceLoader();
	}

	@Override
	public MetadataReader getMetadataReader(String className) throws IOException {
		MetadataReader reader = this.read.get(className);
		return (reader != null) ? reader : keep(className, this.files.getMetadataReader(className));
	}

	@Override
	public MetadataReader getMetadataReader(Resource resource) throws IOException {
		MetadataReader reader = this.read.get(resource);
		return (reader != null) ? reader : keep(resource, this.files.getMetadataReader(resource));
	}

	private MetadataReader keep(Object key, MetadataReader reader) {
		this.read.put(key, reader);
		return reader;
	}

}
