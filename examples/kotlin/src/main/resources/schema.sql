create table if not exists payment (id bigint generated always as identity primary key, amount_cents integer not null);
