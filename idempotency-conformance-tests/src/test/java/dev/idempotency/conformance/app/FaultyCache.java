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

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

import org.springframework.cache.concurrent.ConcurrentMapCache;

/**
 * A cache that several nodes share, as long as it does what a cache should do.
 */
public final class FaultyCache extends ConcurrentMapCache {

	/**
	 * The behaviour of the cache.
	 */
	public enum Mode {

		WORKS, FAILS, HANGS

	}

	private final CountDownLatch end = new CountDownLatch(1);

	private volatile Mode mode = Mode.WORKS;

	public FaultyCache(String name) {
		super(name);
	}

	public void set(Mode mode) {
		this.mode = mode;
	}

	/**
	 * Lets go what hangs.
	 */
	public void end() {
		this.end.countDown();
	}

	private void act() {
		switch (this.mode) {
			case WORKS -> {
				// As usual.
			}
			case FAILS -> throw new IllegalStateException("The connection was refused");
			case HANGS -> {
				try {
					this.end.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
	}

	@Override
	protected @Nullable Object lookup(Object key) {
		act();
		return super.lookup(key);
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		act();
		super.put(key, value);
	}

	@Override
	public boolean evictIfPresent(Object key) {
		act();
		return super.evictIfPresent(key);
	}

	@Override
	public boolean invalidate() {
		act();
		return super.invalidate();
	}

}
