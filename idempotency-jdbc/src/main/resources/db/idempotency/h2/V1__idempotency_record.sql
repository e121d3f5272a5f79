-- One row for each answer that is kept. Rows are written once, complete: there is no
-- update in the life of a TRANSACTIONAL record.
create table idempotency_record (
	id          varbinary(32)  not null,
	account     varbinary(255) not null,
	operation   character large object not null,
	fingerprint varbinary(255) not null,
	status      smallint       not null,
	-- Headers and body as the codec made them; null when the answer cannot be replayed.
	content     binary large object,
	-- Which execution wrote the row: what became of a commit without a reply is told by it.
	token       bigint         not null default 0,
	finished_at timestamp(6) with time zone not null,
	expires_at  timestamp(6) with time zone not null,
	constraint idempotency_record_pkey primary key (id)
);

-- The reaper's way to what has expired, in the order in which it expires.
create index idempotency_record_expires_at on idempotency_record (expires_at);

-- The locks of requests that are being claimed or executed: a row that is inserted and
-- deleted in one transaction. A row that others see was committed by a handler that ended
-- its transaction itself, and locks nothing.
create table idempotency_lock (
	id     varbinary(32) not null,
	-- The transaction that has the lock.
	holder varchar(32),
	constraint idempotency_lock_pkey primary key (id)
);

create sequence idempotency_claim_number;

-- One row for each request that is being executed under a lease, and for each whose owner
-- is gone.
create table idempotency_lease (
	id          varbinary(32)  not null,
	-- Whose completer and operators it is for, of the applications that share the table.
	namespace   varchar(255)   not null,
	account     varbinary(255) not null,
	operation   character large object not null,
	fingerprint varbinary(255) not null,
	-- Random, so that no other claim ever has it, not even in a database that was restored:
	-- who names it is the owner.
	fence       bigint         not null,
	-- The order of claims, from which on open requests are counted; not changed by a takeover.
	claim_number bigint not null default next value for idempotency_claim_number,
	lease_until timestamp(6) with time zone not null,
	-- Whether the owner has committed effects that must not be made twice.
	effects     boolean        not null default false,
	-- How often it was claimed, and how many of these attempts do not count, because their
	-- sender gave the claim back in good order.
	attempts    integer        not null default 1,
	uncounted   integer        not null default 0,
	created_at  timestamp(6) with time zone not null,
	-- The last step of a request in phases that is done, and the results of all of them.
	recovery_point character large object,
	steps       binary large object,
	-- The request itself, for the completer; null when only its sender can repeat it.
	command     binary large object,
	-- When the completer tries again; null for its own time after the lease has expired.
	retry_at    timestamp(6) with time zone,
	-- Since when nobody but a human may go on.
	stuck_at    timestamp(6) with time zone,
	-- Whether only its sender goes on, stuck or not: the completer may not act for it, or it
	-- has been told a final status.
	left_to_sender boolean  not null default false,
	-- The order of those among each other, and whether it is one of them, for an index.
	stuck_created_at timestamp(6) with time zone
		generated always as (case when stuck_at is not null then created_at end),
	-- What the last attempt failed with: names of exceptions, never their messages.
	last_error  character large object,
	-- Host and process id of the node that claimed it last: where its log is.
	node        varchar(255)   not null,
	constraint idempotency_lease_pkey primary key (id)
);

-- The unfinished requests of an account, which are counted before one more is claimed; those
-- of an application that are not stuck, among which the completer looks for what is due, and
-- those that are, in their order; and the oldest. No heartbeat changes one of them.
create index idempotency_lease_account on idempotency_lease (namespace, account, stuck_at, claim_number);
create index idempotency_lease_open on idempotency_lease (namespace, stuck_created_at, id);
create index idempotency_lease_age on idempotency_lease (namespace, created_at, id);

-- One row for each application that shares the tables.
create table idempotency_namespace (
	namespace    varchar(255)  not null,
	-- A keyed digest of the namespace, by which a node finds that it has the secret that
	-- the identities were made with.
	secret_check varbinary(32) not null,
	constraint idempotency_namespace_pkey primary key (namespace)
);

-- The time now. H2's own functions tell when the transaction began.
create alias idempotency_now for 'java.time.Instant.now()';
