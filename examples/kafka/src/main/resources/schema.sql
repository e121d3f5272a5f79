create table if not exists payment (id uuid primary key, amount_cents integer not null);
-- Nothing here prevents a payment from being entered twice
create table if not exists ledger_entry (payment_id uuid not null, amount_cents integer not null);
