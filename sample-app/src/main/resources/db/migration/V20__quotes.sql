create table quote (
	id         uuid        primary key,
	owner      text        not null,
	fare_cents bigint      not null check (fare_cents > 0),
	created_at timestamptz not null
);
