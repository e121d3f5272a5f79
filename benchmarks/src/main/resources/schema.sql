create table if not exists payment (
	id uuid primary key,
	amount_cents bigint not null,
	currency text not null,
	card_token text not null,
	created_at timestamptz not null
);

create table if not exists claim_row (
	key text primary key,
	created_at timestamptz not null,
	completed_at timestamptz,
	result bytea,
	expires_at timestamptz not null
);

create index if not exists claim_row_expires_at on claim_row (expires_at);

create table if not exists hand_record (
	id bytea primary key,
	account text not null,
	operation text not null,
	fingerprint bytea not null,
	status smallint not null,
	content bytea,
	finished_at timestamptz not null,
	expires_at timestamptz not null
);

alter table hand_record alter column content set storage external;

create index if not exists hand_record_expires_at on hand_record (expires_at);
