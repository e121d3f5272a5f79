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

package dev.idempotency.benchmarks.app;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.Assert;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

import dev.idempotency.Idempotent;
import dev.idempotency.Idempotent.Mode;
import dev.idempotency.Idempotent.Required;
import dev.idempotency.benchmarks.load.Workload;
import dev.idempotency.store.EncodedResponse;
import dev.idempotency.store.FinishedRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.Identity;

/**
 * A handler unprotected, and protected in several ways.
 */
@RestController
public class PaymentController {

	public static final String UNPROTECTED = "/unprotected";

	public static final String PROTECTED = "/protected";

	public static final String BLOCKED = "/blocked";

	public static final String LEASED = "/leased";

	public static final String LEASED_IN_COMMITS = "/leased-in-commits";

	public static final String OPTIONAL = "/optional";

	public static final String UNPROTECTED_FORM = "/unprotected-form";

	public static final String PROTECTED_FORM = "/protected-form";

	public static final String PING = "/ping";

	public static final String UNPROTECTED_PARTS = "/unprotected-parts/";

	public static final String PROTECTED_PARTS = "/protected-parts/";

	public static final String STORE_ALONE = "/store-alone";

	public static final String CLAIM_ROW_ALONE = "/claim-row-alone";

	public static final String RECORD_BY_HAND = "/record-by-hand";

	public static final String CLAIM_AND_RECORD_BY_HAND = "/claim-and-record-by-hand";

	/** About as much as the codec makes of an answer to a small payment. */
	private static final EncodedResponse STORED = new EncodedResponse(201, new byte[250]);

	/** About as much as the codec makes of an answer with a large note. */
	private static final byte[] LARGE = Workload.LARGE_PAYMENT.body();

	private final Payments payments;

	private final ObjectProvider<IdempotencyStore> store;

	private final JdbcTemplate jdbc;

	private volatile CountDownLatch blockedEntered = new CountDownLatch(1);

	private volatile CountDownLatch blockedReleased = new CountDownLatch(1);

	PaymentController(Payments payments, ObjectProvider<IdempotencyStore> store, JdbcTemplate jdbc) {
		this.payments = payments;
		this.store = store;
		this.jdbc = jdbc;
	}

	@PostMapping(UNPROTECTED)
	ResponseEntity<PaymentView> payUnprotected(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@Idempotent
	@PostMapping(PROTECTED)
	ResponseEntity<PaymentView> payProtected(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	/**
	 * The minimum of any implementation that stores an answer with its effects: the
	 * store's statements around the business insert, with a digest of the key.
	 */
	@Transactional
	@PostMapping(STORE_ALONE)
	public ResponseEntity<PaymentView> payWithStoreAlone(@RequestBody PaymentRequest request,
			@RequestHeader("Idempotency-Key") String key) throws NoSuchAlgorithmException {
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
		Identity identity = new Identity(digest, digest);
		this.store.getObject().acquire(identity);
		ResponseEntity<PaymentView> answer = pay(request);
		this.store.getObject()
			.finishWithCommit(new FinishedRecord(identity, STORE_ALONE, digest, STORED, Duration.ofDays(1)));
		return answer;
	}

	/**
	 * The minimum of an implementation that inserts a row for the key and completes it in
	 * the same transaction: the statements alone, without a fingerprint or a captured
	 * response. A duplicate waits until the row is committed.
	 */
	@Transactional
	@PostMapping(CLAIM_ROW_ALONE)
	public ResponseEntity<PaymentView> payWithClaimRowAlone(@RequestBody PaymentRequest request,
			@RequestHeader("Idempotency-Key") String key) {
		int claimed = this.jdbc.update("insert into claim_row (key, created_at, expires_at) "
				+ "values (?, now(), now() + interval '1 day') on conflict do nothing", key);
		Assert.state(claimed == 1, "Not a new key");
		ResponseEntity<PaymentView> answer = pay(request);
		this.jdbc.update("update claim_row set completed_at = now(), result = ? where key = ?", STORED.content(), key);
		return answer;
	}

	/**
	 * The fewest statements that keep an answer with its effects, sent by hand: the
	 * record travels with the COMMIT. Of two concurrent duplicates one fails at the end.
	 */
	@Transactional
	@PostMapping(RECORD_BY_HAND)
	public ResponseEntity<PaymentView> payAndRecordByHand(@RequestBody PaymentRequest request,
			@RequestHeader("Idempotency-Key") String key) throws NoSuchAlgorithmException {
		byte[] id = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
		ResponseEntity<PaymentView> answer = pay(request);
		this.payments.flush();
		recordWithCommit(id, request);
		return answer;
	}

	/**
	 * The same behind a claim, which travels with the BEGIN: a lock and a look for the
	 * record.
	 */
	@Transactional
	@PostMapping(CLAIM_AND_RECORD_BY_HAND)
	public ResponseEntity<PaymentView> payByHand(@RequestBody PaymentRequest request,
			@RequestHeader("Idempotency-Key") String key) throws NoSuchAlgorithmException {
		byte[] id = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
		Boolean locked = this.jdbc.execute(
				"select pg_try_advisory_xact_lock(?);\n"
						+ "select status, content from hand_record where id = ? and expires_at > clock_timestamp()",
				(PreparedStatementCallback<Boolean>) (statement) -> {
					statement.setLong(1, ByteBuffer.wrap(id).getLong());
					statement.setBytes(2, id);
					statement.execute();
					try (ResultSet lock = statement.getResultSet()) {
						lock.next();
						boolean held = lock.getBoolean(1);
						statement.getMoreResults();
						return held && !statement.getResultSet().next();
					}
				});
		Assert.state(Boolean.TRUE.equals(locked), "Not a new key");
		ResponseEntity<PaymentView> answer = pay(request);
		this.payments.flush();
		recordWithCommit(id, request);
		return answer;
	}

	private void recordWithCommit(byte[] id, PaymentRequest request) {
		this.jdbc.execute(
				"insert into hand_record (id, account, operation, fingerprint, status, content, finished_at, "
						+ "expires_at) values (?, ?, ?, ?, ?, ?, now(), now() + interval '1 day');\ncommit",
				(PreparedStatementCallback<Boolean>) (statement) -> {
					statement.setBytes(1, id);
					statement.setString(2, "one");
					statement.setString(3, "POST /payments");
					statement.setBytes(4, id);
					statement.setShort(5, (short) STORED.status());
					statement.setBytes(6, "".equals(request.note()) ? STORED.content() : LARGE);
					return statement.execute();
				});
	}

	@Idempotent(mode = Mode.LEASED)
	@Transactional
	@PostMapping(LEASED)
	public ResponseEntity<PaymentView> payLeased(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@Idempotent(mode = Mode.LEASED)
	@PostMapping(LEASED_IN_COMMITS)
	ResponseEntity<PaymentView> payLeasedInCommits(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@Idempotent(required = Required.FALSE)
	@PostMapping(OPTIONAL)
	ResponseEntity<PaymentView> payOptional(@RequestBody PaymentRequest request) {
		return pay(request);
	}

	@PostMapping(UNPROTECTED_PARTS + "{parts}")
	ResponseEntity<PaymentView> payUnprotectedInParts(@PathVariable int parts, @RequestBody PaymentRequest request) {
		return created(this.payments.payInParts(parts, request.amountCents(), request.currency(), request.cardToken()),
				request.note());
	}

	@Idempotent
	@PostMapping(PROTECTED_PARTS + "{parts}")
	ResponseEntity<PaymentView> payProtectedInParts(@PathVariable int parts, @RequestBody PaymentRequest request) {
		return payUnprotectedInParts(parts, request);
	}

	@PostMapping(UNPROTECTED_FORM)
	ResponseEntity<PaymentView> payUnprotectedForm(@RequestParam long amountCents, @RequestPart MultipartFile receipt) {
		return pay(new PaymentRequest(amountCents, "usd", String.valueOf(receipt.getOriginalFilename()), ""));
	}

	@Idempotent
	@PostMapping(PROTECTED_FORM)
	ResponseEntity<PaymentView> payProtectedForm(@RequestParam long amountCents, @RequestPart MultipartFile receipt) {
		return payUnprotectedForm(amountCents, receipt);
	}

	@PostMapping(PING)
	String ping() {
		return "pong";
	}

	@Idempotent
	@PostMapping(BLOCKED)
	ResponseEntity<PaymentView> payWhenReleased(@RequestBody PaymentRequest request) throws InterruptedException {
		this.blockedEntered.countDown();
		this.blockedReleased.await();
		return pay(request);
	}

	/**
	 * The next blocked request stays until it is released.
	 */
	public void block() {
		this.blockedEntered = new CountDownLatch(1);
		this.blockedReleased = new CountDownLatch(1);
	}

	public void awaitBlockedOwner() throws InterruptedException {
		this.blockedEntered.await();
	}

	public void releaseBlockedOwner() {
		this.blockedReleased.countDown();
	}

	private ResponseEntity<PaymentView> pay(PaymentRequest request) {
		return created(this.payments.pay(request.amountCents(), request.currency(), request.cardToken()),
				request.note());
	}

	private static ResponseEntity<PaymentView> created(Payment payment, Object note) {
		return ResponseEntity.created(URI.create("/payments/" + payment.getId())).body(PaymentView.of(payment, note));
	}

	record PaymentRequest(long amountCents, String currency, String cardToken, Object note) {
	}

	record PaymentView(UUID id, long amountCents, String currency, String status, Instant createdAt, Object note) {

		static PaymentView of(Payment payment, Object note) {
			return new PaymentView(payment.getId(), payment.getAmountCents(), payment.getCurrency(), "succeeded",
					payment.getCreatedAt(), note);
		}

	}

}
