-- One row for each event that no broker has taken yet. Rows are written once, and updated
-- only when a broker refuses them.
create table idempotency_outbox (
	-- For one destination and key the order of commits: it is taken under a lock. From a
	-- sequence without a cache: numbers that sessions keep for themselves have no order.
	position     bigint      generated always as identity (cache 1),
	namespace    text        not null,
	-- The id of the message, by which its receivers know a second delivery.
	id           text        not null,
	destination  text        not null,
	-- What events are kept in order by; null for no order.
	key          text,
	type         text        not null,
	-- Headers and payload as the codec made them.
	content      bytea       not null,
	published_at timestamptz not null default clock_timestamp(),
	failures     integer     not null default 0,
	-- When a refused event is tried again.
	retry_at     timestamptz,
	-- What it was refused with: names of exceptions, never their messages.
	last_error   text,
	constraint idempotency_outbox_pkey primary key (namespace, position)
) with (
	-- A queue is empty most of the time, whatever goes through it: a share of its size says
	-- nothing about how many dead rows the relay has to step over.
	autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
	autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
	-- Nor must it lose its pages: see idempotency_lease.
	vacuum_truncate = false
);

insert into idempotency_outbox (namespace, id, destination, type, content)
	select '', n::text, '', '', '' from generate_series(1, 1000) as n;
delete from idempotency_outbox;

-- The codec compresses, where that is wanted: not both.
alter table idempotency_outbox alter column content set storage external;

-- The keys of refused events.
create index idempotency_outbox_retry_at on idempotency_outbox (namespace, retry_at) where retry_at is not null;

-- Whether an event is the first of its key.
create index idempotency_outbox_key on idempotency_outbox (namespace, destination, key, position) where key is not null;
