-- One row for each staged job that is not done: the table of db-scheduler, under a name of
-- its own. It is removed in the transaction of the job's effects.
create table idempotency_job (
	-- Namespace, colon, job type.
	task_name            varchar(400) not null,
	-- The job's id.
	task_instance        varchar(100) not null,
	task_data            longblob,
	execution_time       datetime(6) not null,
	picked               boolean      not null,
	picked_by            varchar(255),
	last_success         datetime(6),
	last_failure         datetime(6),
	consecutive_failures integer,
	last_heartbeat       datetime(6),
	version              bigint       not null,
	staged_at            datetime(6) not null default utc_timestamp(6),
	primary key (task_name, task_instance)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

-- The way to what is due.
create index idempotency_job_execution_time on idempotency_job (execution_time);

-- The way to jobs whose node has gone.
create index idempotency_job_last_heartbeat on idempotency_job (last_heartbeat);

-- Jobs that failed too often. In a table of their own nothing picks them up by itself.
create table idempotency_dead_job (
	id         varchar(36)  not null,
	namespace  varchar(255) not null,
	type       varchar(255) not null,
	payload    longblob,
	attempts   integer      not null,
	staged_at  datetime(6) not null,
	died_at    datetime(6) not null,
	last_error text          not null,
	primary key (id)
) engine = InnoDB character set utf8mb4 collate utf8mb4_bin;

-- The order in which they are listed.
create index idempotency_dead_job_died_at on idempotency_dead_job (namespace, died_at, id);
