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

import java.io.IOException;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import dev.idempotency.engine.codec.StoredResponse;
import dev.idempotency.engine.codec.StoredResponse.HeaderField;
import dev.idempotency.web.endpoint.SensitiveNames;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CapturingResponseTests {

	private final MockHttpServletResponse around = new MockHttpServletResponse();

	private final CapturingResponse response = new CapturingResponse(this.around, 1024, SensitiveNames.FIXED);

	@Test
	void headersOfFiltersAreSeenAndNotStored() throws IOException {
		this.around.addHeader("Vary", "Origin");
		this.response.addHeader("Vary", "Accept");
		this.response.addHeader("vary", "Cookie");
		assertThat(this.response.getHeader("VARY")).isEqualTo("Origin");
		assertThat(this.response.getHeaders("VARY")).containsExactly("Origin", "Accept", "Cookie");
		assertThat(this.response.toStored().headers()).containsExactly(new HeaderField("Vary", "Accept", true),
				new HeaderField("vary", "Cookie", true));
	}

	@Test
	void aHeaderThatIsSetReplacesAllOfItsNameInTheirPlace() throws IOException {
		this.around.addHeader("Vary", "Origin");
		this.response.addHeader("Vary", "Accept");
		this.response.setHeader("ETag", "\"1\"");
		this.response.addHeader("Vary", "Cookie");
		this.response.setHeader("vary", "*");
		this.response.addHeader("Vary", "Accept-Language");
		assertThat(this.response.getHeaders("Vary")).containsExactly("*", "Accept-Language");
		assertThat(this.response.toStored().headers()).containsExactly(new HeaderField("vary", "*", false),
				new HeaderField("ETag", "\"1\"", false), new HeaderField("Vary", "Accept-Language", true));
	}

	@Test
	void aRemovedHeaderIsRemovedFromThoseOfFilters() throws IOException {
		this.around.addHeader("Vary", "Origin");
		this.around.setContentType("text/plain");
		this.response.setHeader("Vary", null);
		this.response.setContentType(null);
		assertThat(this.response.getHeader("Vary")).isNull();
		assertThat(this.response.getContentType()).isNull();
		assertThat(this.response.getHeaderNames()).isEmpty();
		assertThat(this.response.toStored().headers()).containsExactly(new HeaderField("Vary", null, false),
				new HeaderField("Content-Type", null, false));
		this.response.release();
		assertThat(this.around.getHeaderNames()).isEmpty();
	}

	@Test
	void aHeaderThatIsAddedAfterItsRemovalReplacesThoseOfFilters() {
		this.around.addHeader("Vary", "Origin");
		this.response.setHeader("Vary", null);
		this.response.addHeader("Vary", "Accept");
		assertThat(this.response.getHeaders("Vary")).containsExactly("Accept");
		assertThat(this.response.storedHeaders()).containsExactly(new HeaderField("Vary", "Accept", false));
	}

	@Test
	void theTypeKeepsItsSpellingWithTheCharsetThatWasSet() throws IOException {
		this.response.setContentType("text/plain; Charset=\"utf-8\"");
		assertThat(this.response.getCharacterEncoding()).isEqualTo("utf-8");
		assertThat(this.response.getHeader("content-type")).isEqualTo("text/plain; Charset=\"utf-8\"");
		this.response.setCharacterEncoding("UTF-16");
		assertThat(this.response.getContentType()).isEqualTo("text/plain;charset=UTF-16");
	}

	@Test
	void theCharsetOfTheWriterIsSeenInTheTypeAndNotStoredWithIt() throws IOException {
		this.response.setContentType("text/plain");
		this.response.getWriter().write("a");
		assertThat(this.response.getContentType()).isEqualTo("text/plain;charset=ISO-8859-1");
		StoredResponse stored = this.response.toStored();
		assertThat(stored.headers()).containsExactly(new HeaderField("Content-Type", "text/plain", false));
		assertThat(stored.writing().charset()).isEqualTo("ISO-8859-1");
		assertThat(stored.content()).isEqualTo(new byte[] { 'a' });
	}

	@Test
	void afterItWasStoredNothingChanges() throws IOException {
		this.response.setHeader("ETag", "\"1\"");
		this.response.getOutputStream().write(1);
		this.response.toStored();
		this.response.setHeader("ETag", "\"2\"");
		this.response.setStatus(500);
		this.response.setContentLength(2);
		this.response.getOutputStream().write(2);
		this.response.getOutputStream().close();
		assertThatIllegalStateException().isThrownBy(this.response::reset);
		this.response.release();
		assertThat(this.around.getHeader("ETag")).isEqualTo("\"1\"");
		assertThat(this.around.getStatus()).isEqualTo(200);
		assertThat(this.around.getContentAsByteArray()).containsExactly(1);
		assertThat(this.around.getContentLength()).isZero();
	}

	@Test
	void anIncludedResourceWritesToTheBodyOnly() throws Exception {
		this.response.setHeader("ETag", "\"1\"");
		include((included) -> {
			include((nested) -> nested.setStatus(404));
			included.setHeader("ETag", "\"2\"");
			included.setDateHeader("Date", 0);
			included.setContentType("text/plain");
			included.setContentLength(3);
			included.sendError(500);
			included.sendRedirect("/elsewhere");
			included.reset();
			included.getOutputStream().write(1);
		});
		StoredResponse stored = this.response.toStored();
		assertThat(stored.status()).isEqualTo(200);
		assertThat(stored.headers()).containsExactly(new HeaderField("ETag", "\"1\"", false));
		assertThat(stored.content()).containsExactly(1);
		assertThat(stored.writing().lengthAnnounced()).isFalse();
	}

	@Test
	void afterAnIncludedResourceTheHeadMayChange() throws Exception {
		include((included) -> {
		});
		this.response.setStatus(201);
		assertThat(this.response.getStatus()).isEqualTo(201);
	}

	private void include(Resource resource) throws ServletException, IOException {
		MockHttpServletRequest request = new MockHttpServletRequest();
		RequestDispatcher dispatcher = this.response.including(new RequestDispatcher() {

			@Override
			public void forward(ServletRequest forwarded, ServletResponse response) {
				throw new IllegalStateException("Only includes are expected");
			}

			@Override
			public void include(ServletRequest included, ServletResponse response)
					throws ServletException, IOException {
				resource.write((HttpServletResponse) response);
			}

		});
		assertThat(dispatcher).isNotNull();
		dispatcher.include(request, this.response);
	}

	private interface Resource {

		void write(HttpServletResponse response) throws ServletException, IOException;

	}

}
