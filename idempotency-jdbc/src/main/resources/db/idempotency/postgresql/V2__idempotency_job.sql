-- One row for each staged job that is not done: the table of db-scheduler, under a name of
-- its own. It is removed in the transaction of the job's effects.
create table idempotency_job (
	-- Namespace, colon, job type.
	task_name            text        not null,
	-- The job's id.
	task_instance        text        not null,
	task_data            bytea,
	execution_time       timestamptz not null,
	picked               boolean     not null,
	picked_by            text,
	last_success         timestamptz,
	last_failure         timestamptz,
	consecutive_failures integer,
	last_heartbeat       timestamptz,
	version              bigint      not null,
	staged_at            timestamptz not null default clock_timestamp(),
	constraint idempotency_job_pkey primary key (task_name, task_instance)
) with (
	-- A queue is empty most of the time, too: see idempotency_lease.
	vacuum_truncate = false
);

-- The codec compresses, where that is wanted: not both.
alter table idempotency_job alter column task_data set storage external;

-- A thousand rows that stay, of no application and never due: see idempotency_lease. With
-- a hundred pages, to read the whole table is never the cheapest way to a few jobs.
insert into idempotency_job (task_name, task_instance, task_data, execution_time, picked, version)
	select '', n::text, decode(repeat('00', 700), 'hex'), '9999-12-31Z', false, 1 from generate_series(1, 1000) as n;

-- The way to what is due.
create index idempotency_job_execution_time on idempotency_job (execution_time);

-- The way to jobs whose node has gone.
create index idempotency_job_last_heartbeat on idempotency_job (last_heartbeat) where picked;

-- Jobs that failed too often. In a table of their own nothing picks them up by itself.
create table idempotency_dead_job (
	id         uuid        not null,
	namespace  text        not null,
	type       text        not null,
	payload    bytea,
	attempts   integer     not null,
	staged_at  timestamptz not null,
	died_at    timestamptz not null,
	last_error text        not null,
	constraint idempotency_dead_job_pkey primary key (id)
);

alter table idempotency_dead_job alter column payload set storage external;

-- The order in which they are listed.
create index idempotency_dead_job_died_at on idempotency_dead_job (namespace, died_at, id);
