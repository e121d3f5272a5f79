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
package dev.idempotency.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * What is printed while it is measured, and kept in a file with a plot of all ratios.
 */
final class Report {

	private final StringBuilder text = new StringBuilder();

	private final Map<String, Double> throughput = new LinkedHashMap<>();

	private final Map<String, Double> perCpuTime = new LinkedHashMap<>();

	/**
	 * Add a line.
	 */
	void line(String line) {
		System.out.println(line);
		this.text.append(line).append('\n');
	}

	void heading(String heading) {
		line("");
		line("## " + heading);
		line("");
	}

	/**
	 * Add ratios to the plot.
	 */
	void plot(String name, double throughputRatio, double cpuRatio) {
		this.throughput.put(name, throughputRatio);
		this.perCpuTime.put(name, cpuRatio);
	}

	/**
	 * Write {@code report.md} and {@code ratios.png}.
	 * @param directory where to
	 */
	void write(Path directory) {
		try {
			Files.createDirectories(directory);
			Files.writeString(directory.resolve("report.md"), this.text);
			if (!this.throughput.isEmpty()) {
				BitmapEncoder.saveBitmap(chart(), directory.resolve("ratios.png").toString(), BitmapFormat.PNG);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		System.out.println("Written to " + directory.toAbsolutePath());
	}

	private CategoryChart chart() {
		CategoryChart chart = new CategoryChartBuilder().width(1400)
			.height(700)
			.title("Ratio to the baseline of each table, which is 1")
			.build();
		chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
		chart.getStyler().setXAxisLabelRotation(45);
		List<String> names = new ArrayList<>(this.throughput.keySet());
		chart.addSeries("throughput", names, new ArrayList<>(this.throughput.values()));
		chart.addSeries("per processor time", names, new ArrayList<>(this.perCpuTime.values()));
		return chart;
	}

}
