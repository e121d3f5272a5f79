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
package dev.idempotency.store.jdbc.rowlock;

import dev.idempotency.store.HistoryText;
import dev.idempotency.store.Overview;

/**
 * The statements of the databases that claim by a placeholder, plain ones that all of
 * them understand. Times are UTC and durations are microseconds, so that no driver
 * translates them.
 * <p>
 * A statement that looks a row up and does not find it must not lock in a transaction of
 * the application: MariaDB would lock the gap until its end.
 */
final class RowLockStatements {

	/**
	 * The record is read under the lock that was taken before, also where the transaction
	 * has an older view of the table; a lease at the transaction's view, which begins
	 * here.
	 */
	private static final String READ = """
			(select fingerprint, status, content, null, false, false,
				timestampdiff(microsecond, :now, expires_at), token
				from idempotency_record where id = ? and expires_at > :now :share)
			union all
			(select fingerprint, null, null, fence, lease_until <= :now, stuck_at is not null, null, null
				from idempotency_lease where id = ?)""";

	/**
	 * A lease beside a record that was alive when the lease was made, or later: the
	 * record wins, and the lease stays.
	 */
	private static final String LEFTOVER = """
			exists (select 1 from idempotency_record r
				where r.id = idempotency_lease.id and r.expires_at > idempotency_lease.created_at)
			""";

	/**
	 * The unfinished requests of an account, no more than are of interest.
	 */
	private static final String COUNT = """
			select count(*) from (select id from idempotency_lease
				where namespace = ? and account = ? and stuck_at is :state and fence > ? limit ?) counted""";

	private static final String COUNTED = """
			select lease_until from idempotency_lease where namespace = ? and stuck_created_at %s limit %d""";

	private static final String UNFINISHED = """
			select id, account, fence, operation, fingerprint, timestampdiff(microsecond, :epoch, created_at),
				timestampdiff(microsecond, :epoch, lease_until), lease_until > :now, effects, attempts,
				recovery_point, :steps, :command, timestampdiff(microsecond, :epoch, retry_at),
				timestampdiff(microsecond, :epoch, stuck_at), last_error, history
			from idempotency_lease
			""";

	/**
	 * A list in the order of an index, all of whose columns H2 wants to be named, so that
	 * no more rows are read than are listed.
	 */
	private static final String LIST = UNFINISHED.replace(":steps", "null").replace(":command", "null") + """
			where namespace = ? and :order >= timestampadd(microsecond, ?, :epoch)
				and (:order > timestampadd(microsecond, ?, :epoch) or id > ?)
			order by namespace, :order, id limit ?""";

	/**
	 * Appends an entry to the life of a request, in the statement that makes it.
	 */
	private static final String HISTORY = "history = right(concat(history, timestampdiff(microsecond, :epoch, :now), ?), "
			+ HistoryText.MAX_LENGTH + ")";

	private static final String WITH_CONTENT = UNFINISHED.replace(":steps", "steps").replace(":command", "command");

	final String read;

	final String readLocked;

	final String finish;

	final String removePlaceholder;

	final String nextFence;

	final String insertLease;

	final String countOpen;

	final String countStuck;

	final String lockAbandoned;

	final String takeOver;

	final String lockLease;

	final String lockLeases;

	final String extend;

	final String markEffects;

	final String isHeld;

	final String advance;

	final String progress;

	final String interrupt;

	final String release;

	final String lockSuperseded;

	final String findExpired;

	final String lockExpired;

	final String deleteRecord;

	final String now;

	final String lockLeftovers;

	final String deleteLease;

	final String isLeftover;

	final String clearLeftover;

	final String findDue;

	final String lockDue;

	final String claimDue;

	final String lockStuck;

	final String markStuck;

	final String find;

	final String listAll;

	final String listStuck;

	final String retry;

	final String claim;

	final String overview;

	final String findFinished;

	final String between;

	final String countUnfinished;

	final String deleteUnfinished;

	final String page;

	private final Syntax syntax;

	RowLockStatements(Syntax syntax) {
		this.syntax = syntax;
		this.read = sql(READ.replace(":share", ""));
		this.readLocked = sql(READ.replace(":share", syntax.share()));
		this.finish = sql("""
				update idempotency_record set account = ?, operation = ?, fingerprint = ?, status = ?, content = ?,
					token = ?, history = ?, :life
				where id = ? and expires_at <= :now""");
		this.removePlaceholder = sql("delete from idempotency_record where id = ? and expires_at <= :now");
		this.nextFence = syntax.nextFence();
		this.insertLease = sql("""
				insert into idempotency_lease
					(id, namespace, account, operation, fingerprint, command, fence, lease_until, created_at, history)
				values (?, ?, ?, ?, ?, ?, ?, timestampadd(microsecond, ?, :now), :now,
					concat(timestampdiff(microsecond, :epoch, :now), ?))""");
		this.countOpen = COUNT.replace(":state", "null");
		this.countStuck = COUNT.replace(":state", "not null");
		this.lockAbandoned = sql("""
				select attempts, recovery_point, steps from idempotency_lease
				where id = ? and lease_until <= :now and not effects and stuck_at is null
					and attempts - uncounted < ? and fingerprint = ?
				for update nowait""");
		this.takeOver = sql("""
				update idempotency_lease set fence = ?, attempts = attempts + 1,
					lease_until = timestampadd(microsecond, ?, :now), :history
				where id = ?""");
		this.lockLease = "select history from idempotency_lease where id = ? and fence = ? for update";
		this.lockLeases = "select id, fence from idempotency_lease where id in (%s) for update skip locked";
		this.extend = sql("""
				update idempotency_lease set lease_until = timestampadd(microsecond, ?, :now)
				where id = ? and fence = ?""");
		this.markEffects = "update idempotency_lease set effects = true where id = ? and fence = ?";
		this.isHeld = "select 1 from idempotency_lease where id = ? and fence = ?";
		this.advance = sql("""
				update idempotency_lease set recovery_point = ?, steps = ?,
					lease_until = timestampadd(microsecond, ?, :now), :history
				where id = ? and fence = ? and (recovery_point = ? or (recovery_point is null and ? = 1))""");
		this.progress = """
				select attempts, recovery_point, steps from idempotency_lease
				where id = ? and fence = ? for update""";
		this.interrupt = sql("""
				update idempotency_lease set lease_until = :now, last_error = ?, uncounted = uncounted + ?,
					retry_at = case when ? = 1 or retry_at > :now then retry_at end, :history
				where id = ? and fence = ?""");
		this.release = "delete from idempotency_lease where id = ? and fence = ?";
		this.lockSuperseded = sql("""
				select 1 from idempotency_lease
				where id = ? and fence = ? and lease_until <= :now and not effects
					and recovery_point is null and stuck_at is null
				for update nowait""");
		this.findExpired = sql("""
				select id from idempotency_record where expires_at <= :now
				order by expires_at, id limit ? offset ?""");
		this.lockExpired = sql("""
				select id from idempotency_record where id in (%s) and expires_at <= :now
				for update skip locked""");
		this.deleteRecord = "delete from idempotency_record where id = ?";
		this.now = sql("select timestampdiff(microsecond, :epoch, :now)");
		this.lockLeftovers = sql("""
				select id from idempotency_lease
				where namespace = ? and stuck_created_at is null and lease_until <= :now and
				""" + LEFTOVER + " for update skip locked");
		this.deleteLease = "delete from idempotency_lease where id = ?";
		this.isLeftover = "select 1 from idempotency_lease where id = ? and " + LEFTOVER;
		this.clearLeftover = "delete from idempotency_lease where id = ? and " + LEFTOVER;
		this.findDue = sql("""
				select id, fence, row_number() over (partition by account order by due_at, id) as turn
				from (select id, account, fence,
						coalesce(retry_at, timestampadd(microsecond, ?, lease_until)) as due_at
					from idempotency_lease
					where namespace = ? and lease_until <= :now and not effects and stuck_created_at is null
						and command is not null and attempts - uncounted < ?
						and not
				""" + LEFTOVER + """
					) waiting
				where due_at <= :now order by turn, rand()""");
		this.lockDue = sql("""
				select attempts - uncounted from idempotency_lease
				where id = ? and fence = ? and lease_until <= :now and not effects and stuck_at is null
				for update skip locked""");
		this.claimDue = sql("""
				update idempotency_lease set fence = ?, attempts = attempts + 1,
					lease_until = timestampadd(microsecond, ?, :now), retry_at = timestampadd(microsecond, ?, :now),
					:history
				where id = ?""");
		this.lockStuck = sql("""
				select id, operation from idempotency_lease
				where namespace = ? and lease_until <= :now and stuck_created_at is null
					and (effects or attempts - uncounted >= ?
						or lease_until < timestampadd(microsecond, ?, :now))
					and not
				""" + LEFTOVER + """
				for update skip locked""");
		this.markStuck = sql("update idempotency_lease set stuck_at = :now where id = ?");
		this.find = sql(WITH_CONTENT + "where namespace = ? and id = ?");
		this.listAll = sql(LIST.replace(":order", "created_at"));
		this.listStuck = sql(LIST.replace(":order", "stuck_created_at"));
		this.retry = sql("""
				update idempotency_lease set stuck_at = null, uncounted = attempts, retry_at = :now,
					lease_until = :now, effects = false, :history
				where namespace = ? and id = ? and lease_until <= :now""");
		this.claim = sql("""
				update idempotency_lease set fence = ?, lease_until = timestampadd(microsecond, ?, :now), :history
				where namespace = ? and id = ? and lease_until <= :now""");
		this.overview = sql("""
				select (:records),
					(select count(*) from (:open) running where lease_until > :now)
						+ (select count(*) from (:stuck) resolving where lease_until > :now),
					(select count(*) from (:open) waiting where lease_until <= :now),
					(select count(*) from (:stuck) stuck where lease_until <= :now),
					timestampdiff(microsecond, (select created_at from idempotency_lease
						where namespace = ? order by created_at, id limit 1), :now),
					(select operation from idempotency_lease where namespace = ? order by created_at, id limit 1)
				""".replace(":open", COUNTED.formatted("is null", Overview.COUNTED))
			.replace(":stuck", COUNTED.formatted("is not null", Overview.COUNTED)));
		this.findFinished = sql("""
				select account, operation, status, content, timestampdiff(microsecond, :epoch, finished_at),
					timestampdiff(microsecond, :epoch, expires_at), fingerprint, history
				from idempotency_record where id = ? and expires_at > :now""");
		this.between = """
				select id, account from idempotency_record where id between ? and ?
				union select id, account from idempotency_lease where namespace = ? and id between ? and ?
				order by id limit ?""";
		this.countUnfinished = "select count(*) from idempotency_lease where namespace = ? and account = ?";
		this.deleteUnfinished = sql("""
				delete from idempotency_lease where namespace = ? and account = ? and lease_until <= :now""");
		this.page = "select id, account from idempotency_record where id > ? order by id limit ?";
	}

	private String sql(String text) {
		return text.replace(":life", this.syntax.life())
			.replace(":history", HISTORY)
			.replace(":now", this.syntax.now())
			.replace(":epoch", this.syntax.epoch())
			.replace(":records", this.syntax.records());
	}

	/**
	 * The parts of the statements that differ between databases.
	 *
	 * @param now the time by which records live, which must not be that of the
	 * transaction's begin
	 * @param life sets when a record was finished, which is now, and when it expires,
	 * which is exactly so many microseconds later as its parameter says
	 * @param epoch the begin of 1970
	 * @param share reads under the lock that the transaction has
	 * @param nextFence the statement that makes a fence
	 * @param records an expression for about how many records there are
	 */
	record Syntax(String now, String life, String epoch, String share, String nextFence, String records) {
	}

}
