create table if not exists rider (name text primary key, rides integer not null);
create table if not exists ride (id uuid primary key, rider text not null, fare_cents integer not null);
