create table if not exists payment (
	id uuid primary key,
	amount_cents bigint not null,
	currency text not null,
	card_token text not null,
	created_at timestamptz not null
);
