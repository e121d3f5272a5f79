create table ride (
	id         uuid             primary key,
	owner      text             not null,
	origin_lat double precision not null,
	origin_lon double precision not null,
	target_lat double precision not null,
	target_lon double precision not null,
	fare_cents bigint           not null check (fare_cents > 0),
	charge_id  text             unique,
	status     text             not null,
	created_at timestamptz      not null,
	check ((status = 'BOOKED') = (charge_id is not null))
);

create index ride_owner on ride (owner, created_at);

create table receipt (
	id           uuid        primary key,
	ride_id      uuid        not null references ride,
	owner        text        not null,
	amount_cents bigint      not null,
	sent_at      timestamptz not null
);

create index receipt_owner on receipt (owner, sent_at);
