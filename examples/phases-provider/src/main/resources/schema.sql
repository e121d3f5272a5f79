create table if not exists purchase (id uuid primary key, amount_cents integer not null, charge_id varchar(64));
