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
package dev.idempotency.job.dbscheduler;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import dev.idempotency.codec.ResponseCodec;
import dev.idempotency.engine.codec.ContentCipher;
import dev.idempotency.engine.codec.ContentCodec;
import dev.idempotency.engine.codec.EnvelopeCodec;
import dev.idempotency.exception.NotReplayableException;
import dev.idempotency.job.JobType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PayloadFormatTests {

	private static final JobType<Receipt> TYPE = JobType.of("send-receipt", Receipt.class);

	private static final Receipt RECEIPT = new Receipt("alice@example.com", List.of(1, 2));

	private final UUID id = UUID.randomUUID();

	private static PayloadFormat format(ResponseCodec codec) {
		return format("app", codec);
	}

	private static PayloadFormat format(String namespace, ResponseCodec codec) {
		return new PayloadFormat(JsonMapper.shared(), new ContentCodec(namespace, codec));
	}

	private static ResponseCodec encrypting() {
		return EnvelopeCodec.encrypting(new ContentCipher(Map.of("k", new SecretKeySpec(new byte[32], "AES")), "k"));
	}

	@Test
	void whatIsWrittenIsRead() {
		PayloadFormat format = format(EnvelopeCodec.plain(null));
		byte[] stored = format.write(this.id, TYPE, RECEIPT);
		assertThat(new String(stored, StandardCharsets.UTF_8)).contains("alice@example.com");
		assertThat(format.read(this.id, TYPE, stored)).isEqualTo(RECEIPT);
	}

	@Test
	@Tag("M1")
	void payloadIsReadByAVersionWhoseClassHasOtherFields() {
		PayloadFormat format = format(EnvelopeCodec.plain(null));
		byte[] stored = format.write(this.id, TYPE, RECEIPT);
		assertThat(format.read(this.id, JobType.of("send-receipt", LaterReceipt.class), stored))
			.isEqualTo(new LaterReceipt("alice@example.com", null));
	}

	@Test
	void theCodecOfTheApplicationEncryptsIt() {
		PayloadFormat format = format(encrypting());
		byte[] stored = format.write(this.id, TYPE, RECEIPT);
		assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("alice");
		assertThat(format.read(this.id, TYPE, stored)).isEqualTo(RECEIPT);
	}

	@Test
	@Tag("S17")
	void anEncryptedPayloadCannotBeMovedToAnotherJobOrApplication() {
		PayloadFormat format = format(encrypting());
		byte[] stored = format.write(this.id, TYPE, RECEIPT);
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> format.read(UUID.randomUUID(), TYPE, stored));
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> format.read(this.id, JobType.of("refund", Receipt.class), stored));
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> format("other", encrypting()).read(this.id, TYPE, stored));
	}

	@Test
	@Tag("Y10")
	void aPayloadThatNobodyEncryptedIsRefused() {
		byte[] planted = format(EnvelopeCodec.plain(null)).write(this.id, TYPE, RECEIPT);
		assertThatExceptionOfType(NotReplayableException.class)
			.isThrownBy(() -> format(encrypting()).read(this.id, TYPE, planted));
	}

	@Test
	void anUnknownFormatIsNotTakenForJson() {
		PayloadFormat format = format(EnvelopeCodec.plain(null));
		byte[] stored = format.write(this.id, TYPE, RECEIPT);
		stored[1]++;
		assertThatIllegalStateException().isThrownBy(() -> format.read(this.id, TYPE, stored))
			.withMessageContaining(this.id.toString());
	}

	@Test
	void whatCouldNotBeReadAgainIsRefusedWhenItIsStaged() {
		JobType<Unreadable> type = JobType.of("unreadable", Unreadable.class);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> format(EnvelopeCodec.plain(null)).write(this.id, type, new Unreadable(1)))
			.withMessageContaining("unreadable")
			.withMessageContaining("such as a record");
	}

	@Test
	void whatWouldBeReadAsAnotherIsRefusedWhenItIsStaged() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> format(EnvelopeCodec.plain(null)).write(this.id, JobType.of("send", Notice.class),
					new SignedNotice()))
			.withMessageContaining("send")
			.withMessageContaining("SignedNotice");
	}

	record Receipt(String to, List<Integer> lines) {
	}

	record LaterReceipt(String to, @Nullable String note) {
	}

	static class Notice {

		public String text = "text";

	}

	static final class SignedNotice extends Notice {

		public String signature = "signature";

	}

	static final class Unreadable {

		private final int value;

		Unreadable(int value) {
			this.value = value;
		}

		public int getOther() {
			return this.value;
		}

	}

}
