create table payment (
	id             uuid        primary key,
	owner          text        not null,
	amount_cents   bigint      not null check (amount_cents > 0),
	currency       text        not null,
	refunded_cents bigint      not null default 0 check (refunded_cents between 0 and amount_cents),
	created_at     timestamptz not null
);

create index payment_owner on payment (owner, created_at desc);

create table refund (
	id           uuid        primary key,
	payment_id   uuid        not null references payment,
	amount_cents bigint      not null check (amount_cents > 0),
	created_at   timestamptz not null
);

create index refund_payment on refund (payment_id);

create table purchase_order (
	id         uuid        primary key,
	owner      text        not null,
	item       text        not null,
	quantity   integer     not null check (quantity > 0),
	created_at timestamptz not null
);

create index purchase_order_owner on purchase_order (owner, created_at desc);

create table profile (
	owner        text   primary key,
	display_name text   not null,
	version      bigint not null
);

insert into profile (owner, display_name, version) values ('alice', 'Alice', 1), ('bob', 'Bob', 1), ('ops', 'Ops', 1);

create table booking (
	id        uuid    primary key,
	owner     text    not null,
	reference text    not null,
	seats     integer not null,
	constraint booking_reference unique (owner, reference)
);
