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
package dev.idempotency.web;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;

import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A temporary file that only this object can read, and that does not outlive the process,
 * however that ends. It is encrypted with a key that is nowhere but in memory, and
 * deleted when it is closed: on POSIX systems it loses its name before anything is
 * written to it, on Windows the system deletes it with its last handle.
 * <p>
 * AES-CTR encrypts in any portions, and its counter may start at zero, since each file
 * has a new key (NIST SP 800-38A section 6.5).
 */
final class EphemeralFile implements Closeable {

	private static final String TRANSFORMATION = "AES/CTR/NoPadding";

	private static final int KEY_LENGTH = 32;

	private static final int BLOCK_LENGTH = 16;

	private static final SecureRandom RANDOM = new SecureRandom();

	private final SecretKey key;

	private final FileChannel channel;

	private final OutputStream out;

	EphemeralFile() throws IOException {
		byte[] bytes = new byte[KEY_LENGTH];
		RANDOM.nextBytes(bytes);
		this.key = new SecretKeySpec(bytes, "AES");
		this.channel = FileChannel.open(Files.createTempFile("idempotency-", ".response"), StandardOpenOption.READ,
				StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
		this.out = new BufferedOutputStream(
				new CipherOutputStream(Channels.newOutputStream(this.channel), cipher(Cipher.ENCRYPT_MODE)));
	}

	OutputStream out() {
		return this.out;
	}

	/**
	 * Opens the whole content for reading, after which nothing more is written.
	 */
	InputStream open() throws IOException {
		this.out.flush();
		return new CipherInputStream(Channels.newInputStream(this.channel.position(0)), cipher(Cipher.DECRYPT_MODE));
	}

	private Cipher cipher(int mode) {
		try {
			Cipher cipher = Cipher.getInstance(TRANSFORMATION);
			cipher.init(mode, this.key, new IvParameterSpec(new byte[BLOCK_LENGTH]));
			return cipher;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + TRANSFORMATION, ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
