create table if not exists payment (id uuid primary key, amount_cents integer not null);
