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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * The report, printed during the measurement and kept in a file with a plot of the ratios
 * of each table.
 */
final class Report {

	/** More than this have no room for their names side by side. */
	private static final int MANY_BARS = 3;

	private final StringBuilder text = new StringBuilder();

	private final Map<String, List<Bar>> plots = new LinkedHashMap<>();

	private final Map<String, List<Double>> curves = new LinkedHashMap<>();

	/**
	 * Adds a line.
	 */
	void line(String line) {
		System.out.println(line);
		this.text.append(line).append('\n');
	}

	/**
	 * Prints how far the measurement is, which is not kept.
	 * @param work the work
	 * @param done the number of its parts that are done, from 1
	 * @param all the number of all of them
	 * @param spent the time that they took
	 */
	void progress(String work, int done, int all, Duration spent) {
		System.out.println(work + ": " + done + " of " + all + ", " + spent.toSeconds() + " s; about "
				+ spent.multipliedBy(all - done).dividedBy(done).toSeconds() + " s are left");
	}

	void heading(String heading) {
		line("");
		line("## " + heading);
		line("");
	}

	/**
	 * Adds ratios to the plot of a table.
	 */
	void plot(String table, String variant, double throughputRatio, double cpuRatio) {
		this.plots.computeIfAbsent(table, (name) -> new ArrayList<>()).add(new Bar(variant, throughputRatio, cpuRatio));
	}

	/**
	 * Adds the throughput of a soak, slice by slice.
	 */
	void curve(String name, List<Double> requestsPerSecond) {
		this.curves.put(name, requestsPerSecond);
	}

	/**
	 * Writes {@code report.md}, {@code ratios.png} and {@code soaks.png}.
	 * @param directory the target directory
	 */
	void write(Path directory) {
		try {
			Files.createDirectories(directory);
			Files.writeString(directory.resolve("report.md"), this.text);
			if (!this.plots.isEmpty()) {
				List<CategoryChart> charts = new ArrayList<>();
				this.plots.forEach((table, bars) -> charts.add(chart(table, bars)));
				BitmapEncoder.saveBitmap(charts, charts.size(), 1, directory.resolve("ratios.png").toString(),
						BitmapFormat.PNG);
			}
			if (!this.curves.isEmpty()) {
				BitmapEncoder.saveBitmap(curves(), directory.resolve("soaks.png").toString(), BitmapFormat.PNG);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		System.out.println("Written to " + directory.toAbsolutePath());
	}

	private XYChart curves() {
		XYChart chart = new XYChartBuilder().width(1000)
			.height(480)
			.title("Soaks")
			.xAxisTitle("slice")
			.yAxisTitle("requests/s")
			.build();
		chart.getStyler().setYAxisMin(0.0).setLegendPosition(LegendPosition.OutsideE);
		this.curves.forEach(chart::addSeries);
		return chart;
	}

	private static CategoryChart chart(String table, List<Bar> bars) {
		CategoryChart chart = new CategoryChartBuilder().width(1000)
			.height(320)
			.title(table + " (the baseline is 1)")
			.build();
		chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
		chart.getStyler().setYAxisMin(0.0).setXAxisLabelRotation((bars.size() > MANY_BARS) ? 30 : 0);
		List<String> variants = bars.stream().map(Bar::variant).toList();
		chart.addSeries("throughput", variants, bars.stream().map(Bar::throughput).toList());
		chart.addSeries("per processor time", variants, bars.stream().map(Bar::perCpuTime).toList());
		return chart;
	}

	private record Bar(String variant, double throughput, double perCpuTime) {

	}

}
