-- One row for each staged job that is not done: the table of db-scheduler, under a name of
-- its own. It is removed in the transaction of the job's effects.
create table idempotency_job (
	-- Namespace, colon, job type.
	task_name            varchar(400) not null,
	-- The job's id.
	task_instance        varchar(100) not null,
	task_data            binary large object,
	execution_time       timestamp(6) with time zone not null,
	picked               boolean      not null,
	picked_by            varchar(255),
	last_success         timestamp(6) with time zone,
	last_failure         timestamp(6) with time zone,
	consecutive_failures integer,
	last_heartbeat       timestamp(6) with time zone,
	version              bigint       not null,
	staged_at            timestamp(6) with time zone not null default current_timestamp,
	constraint idempotency_job_pkey primary key (task_name, task_instance)
);

-- The way to what is due.
create index idempotency_job_execution_time on idempotency_job (execution_time);

-- The way to jobs whose node has gone.
create index idempotency_job_last_heartbeat on idempotency_job (last_heartbeat);

-- Jobs that failed too often. In a table of their own nothing picks them up by itself.
create table idempotency_dead_job (
	id         varchar(36)  not null,
	namespace  varchar(255) not null,
	type       varchar(255) not null,
	payload    binary large object,
	attempts   integer      not null,
	staged_at  timestamp(6) with time zone not null,
	died_at    timestamp(6) with time zone not null,
	last_error character large object not null,
	constraint idempotency_dead_job_pkey primary key (id)
);

-- The order in which they are listed.
create index idempotency_dead_job_died_at on idempotency_dead_job (namespace, died_at, id);
