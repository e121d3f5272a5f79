-- Nothing here prevents a ride from being entered twice, or in the wrong order.
create table if not exists entry (
	line bigint generated always as identity, ride_id uuid not null, rider text not null, number integer not null,
	fare_cents integer not null
);
