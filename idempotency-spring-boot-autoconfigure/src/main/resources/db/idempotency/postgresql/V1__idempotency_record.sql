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
	finished_at timestamptz not null,
	expires_at  timestamptz not null,
	constraint idempotency_record_pkey primary key (id)
);

-- The codec compresses, where that is wanted: not both.
alter table idempotency_record alter column content set storage external;

-- The reaper's way to what has expired, in the order in which it expires.
create index idempotency_record_expires_at on idempotency_record (expires_at);
