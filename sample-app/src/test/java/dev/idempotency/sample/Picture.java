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
package dev.idempotency.sample;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/**
 * Makes pictures of the page small enough for a README: with fewer shades, which nobody
 * sees, and a compression that takes its time.
 */
final class Picture {

	private Picture() {
	}

	static void write(byte[] png, Path file) {
		try {
			BufferedImage page = ImageIO.read(new ByteArrayInputStream(png));
			BufferedImage picture = new BufferedImage(page.getWidth(), page.getHeight(), BufferedImage.TYPE_INT_RGB);
			for (int y = 0; y < page.getHeight(); y++) {
				for (int x = 0; x < page.getWidth(); x++) {
					int shade = page.getRGB(x, y) & 0xf0f0f0;
					picture.setRGB(x, y, shade | (shade >> 4));
				}
			}
			compress(picture, file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void compress(BufferedImage picture, Path file) throws IOException {
		ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
		ImageWriteParam parameters = writer.getDefaultWriteParam();
		parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
		parameters.setCompressionQuality(0);
		Files.deleteIfExists(file);
		try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
			writer.setOutput(out);
			writer.write(null, new IIOImage(picture, null, null), parameters);
		}
		finally {
			writer.dispose();
		}
	}

}
