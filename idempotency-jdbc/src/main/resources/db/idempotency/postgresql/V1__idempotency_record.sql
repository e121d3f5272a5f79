-- One row for each answer that is kept. Rows are written once, complete: there is no
-- update in the life of a TRANSACTIONAL record.
create table idempotency_record (
	id          bytea       not null,
	account     bytea       not null,
	operation   text        not null,
	fingerprint bytea       not null,
	status      smallint    not null,
	-- Headers and body as the codec made them; null when the answer cannot be replayed.
	content     bytea,
	-- Which execution wrote the row: what became of a commit without a reply is told by it.
	token       bigint      not null default 0,
	finished_at timestamptz not null,
	expires_at  timestamptz not null,
	constraint idempotency_record_pkey primary key (id)
);

-- The codec compresses, where that is wanted: not both.
alter table idempotency_record alter column content set storage external;

-- The reaper's way to what has expired, in the order in which it expires.
create index idempotency_record_expires_at on idempotency_record (expires_at);

create sequence idempotency_claim_number;

-- One row for each request that is being executed under a lease, and for each whose owner
-- is gone. Kept apart from the answers: the rows here change, those do not, and there are
-- only as many as there are unfinished requests.
create table idempotency_lease (
	id          bytea       not null,
	-- Whose completer and operators it is for, of the applications that share the table.
	namespace   text        not null,
	account     bytea       not null,
	operation   text        not null,
	fingerprint bytea       not null,
	-- Random, so that no other claim ever has it, not even in a database that was restored:
	-- who names it is the owner.
	fence       bigint      not null,
	-- The order of claims, from which on open requests are counted; not changed by a takeover.
	claim_number bigint not null default nextval('idempotency_claim_number'),
	lease_until timestamptz not null,
	-- Whether the owner has committed effects that must not be made twice.
	effects     boolean     not null default false,
	-- How often it was claimed, and how many of these attempts do not count, because their
	-- sender gave the claim back in good order.
	attempts    integer     not null default 1,
	uncounted   integer     not null default 0,
	created_at  timestamptz not null,
	-- The last step of a request in phases that is done, and the results of all of them.
	recovery_point text,
	steps       bytea,
	-- The request itself, for the completer; null when only its sender can repeat it.
	command     bytea,
	-- When the completer tries again; null for its own time after the lease has expired.
	retry_at    timestamptz,
	-- Since when nobody but a human may go on.
	stuck_at    timestamptz,
	-- Whether only its sender goes on, stuck or not: the completer may not act for it, or it
	-- has been told a final status.
	left_to_sender boolean  not null default false,
	-- What the last attempt failed with: names of exceptions, never their messages.
	last_error  text,
	-- Host and process id of the node that claimed it last: where its log is.
	node        text        not null,
	constraint idempotency_lease_pkey primary key (id)
) with (
	fillfactor = 70,
	-- Pages that were used once are used again, and are not given up between two loads.
	vacuum_truncate = false
);

-- The open requests of an account, which are counted before one more is claimed, and those
-- of an application, among which the completer looks for what is due. A heartbeat changes
-- neither their columns nor their predicates, and stays a HOT update; what becomes stuck
-- goes from one to the other, and a pile of it is nobody's way. By their numbers the open
-- ones are counted from an older count on, past the dead rows of those that have ended.
create index idempotency_lease_open on idempotency_lease (namespace, account, claim_number) where stuck_at is null;
create index idempotency_lease_stuck on idempotency_lease (namespace, account) where stuck_at is not null;
-- Stuck requests that are to lose what is kept of them for a while.
create index idempotency_lease_kept on idempotency_lease (namespace, stuck_at)
	where stuck_at is not null and (left_to_sender or command is not null);
-- The oldest of all, and of those that are stuck, for the health and for lists. Without the
-- id, and of an expression: in a table that was last seen empty all indexes cost the same,
-- and a request would be looked up by its id, or those of an account by the namespace, in
-- one that was not made for it and has all the dead rows.
create index idempotency_lease_age on idempotency_lease ((namespace || ''), created_at);
create index idempotency_lease_stuck_age on idempotency_lease ((namespace || ''), created_at)
	where stuck_at is not null;

-- A thousand rows that stay, of no application: their namespace is empty. Leases live for
-- milliseconds, so that the planner would find the table empty, or with two rows in an index
-- of hundreds of pages, of which one row were then half. With these rows a lease is looked up
-- by its id at the same cost whenever the table was last analysed, and a session plans once.
-- Each has an account to itself: equal ones would count as the many requests of one account.
insert into idempotency_lease (id, namespace, account, operation, fingerprint, fence, claim_number, lease_until,
		created_at, node)
	select digest, '', digest, '', '', 0, 0, '9999-12-31Z', 'epoch', ''
	from generate_series(1, 1000) as n, sha256(convert_to('row that stays ' || n, 'UTF8')) as digest;

-- As with answers: the codec compresses, where that is wanted.
alter table idempotency_lease alter column steps set storage external;
alter table idempotency_lease alter column command set storage external;

-- One row for each application that shares the tables.
create table idempotency_namespace (
	namespace    text  not null,
	-- A keyed digest of the namespace, by which a node finds that it has the secret that
	-- the identities were made with.
	secret_check bytea not null,
	constraint idempotency_namespace_pkey primary key (namespace)
);
