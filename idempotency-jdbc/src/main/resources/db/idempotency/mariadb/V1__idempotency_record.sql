-- Times are UTC. Names differ where their letters differ in case.
-- One row for each answer that is kept. The row is inserted as a placeholder, which is
-- how a request is claimed, and becomes the answer in the same transaction.
create table idempotency_record (
	id          varbinary(32)  not null,
	account     varbinary(255) not null,
	operation   text            not null,
	fingerprint varbinary(255) not null,
	status      smallint       not null,
	-- Headers and body as the codec made them; null when the answer cannot be replayed.
	content     longblob,
	-- Which execution wrote the row: what became of a commit without a reply is told by it.
	token       bigint         not null default 0,
	finished_at datetime(6) not null,
	expires_at  datetime(6) not null,
	primary key (id)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

-- The reaper's way to what has expired, in the order in which it expires.
create index idempotency_record_expires_at on idempotency_record (expires_at);

-- One row for each request that is being executed under a lease, and for each whose owner
-- is gone.
create table idempotency_lease (
	id          varbinary(32)  not null,
	-- Whose completer and operators it is for, of the applications that share the table.
	namespace   varchar(255)   not null,
	account     varbinary(255) not null,
	operation   text            not null,
	fingerprint varbinary(255) not null,
	fence       bigint         not null,
	lease_until datetime(6) not null,
	-- Whether the owner has committed effects that must not be made twice.
	effects     boolean        not null default false,
	-- How often it was claimed, and how many of these attempts do not count, because their
	-- sender gave the claim back in good order.
	attempts    integer        not null default 1,
	uncounted   integer        not null default 0,
	created_at  datetime(6) not null,
	-- The last step of a request in phases that is done, and the results of all of them.
	recovery_point text         ,
	steps       longblob,
	-- The request itself, for the completer; null when only its sender can repeat it.
	command     longblob,
	-- When the completer tries again; null for its own time after the lease has expired.
	retry_at    datetime(6),
	-- Since when nobody but a human may go on.
	stuck_at    datetime(6),
	-- Whether only its sender goes on, stuck or not: the completer may not act for it, or it
	-- has been told a final status.
	left_to_sender boolean  not null default false,
	-- The order of those among each other, and whether it is one of them, for an index.
	stuck_created_at datetime(6)
		generated always as (case when stuck_at is not null then created_at end) stored,
	-- What the last attempt failed with: names of exceptions, never their messages.
	last_error  text         ,
	-- Host and process id of the node that claimed it last: where its log is.
	node        varchar(255)   not null,
	primary key (id)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

-- The unfinished requests of an account, which are counted before one more is claimed; those
-- of an application that are not stuck, among which the completer looks for what is due, and
-- those that are, in their order; and the oldest. No heartbeat changes one of them.
create index idempotency_lease_account on idempotency_lease (namespace, account, stuck_at, fence);
create index idempotency_lease_open on idempotency_lease (namespace, stuck_created_at, id);
create index idempotency_lease_age on idempotency_lease (namespace, created_at, id);

-- One row for each application that shares the tables.
create table idempotency_namespace (
	namespace    varchar(255)  not null,
	-- A keyed digest of the namespace, by which a node finds that it has the secret that
	-- the identities were made with.
	secret_check varbinary(32) not null,
	primary key (namespace)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

-- A fence is never used twice, also not for the same identity after its record has gone.
create sequence idempotency_fence;
