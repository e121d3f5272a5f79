create table charge (
	id          text        primary key,
	merchant    text        not null,
	amount      bigint      not null check (amount > 0),
	currency    text        not null,
	source      text        not null,
	description text,
	metadata    json        not null,
	created_at  timestamptz not null
);

create index charge_merchant on charge (merchant);
