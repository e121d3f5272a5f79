-- Optional: the answers in hash partitions, by the primary key, which stays unique as a
-- whole. Run after V1 on an empty table it costs nothing. On a table with answers these
-- are copied while the table is locked.
lock table idempotency_record in access exclusive mode;

-- The new table is to have the names of the old one's indexes.
alter table idempotency_record rename to idempotency_record_plain;
alter index idempotency_record_pkey rename to idempotency_record_plain_pkey;
alter index idempotency_record_expires_at rename to idempotency_record_plain_expires_at;

create table idempotency_record (
	like idempotency_record_plain including defaults including storage including comments,
	constraint idempotency_record_pkey primary key (id)
) partition by hash (id);

create index idempotency_record_expires_at on idempotency_record (expires_at);

do $$
begin
	for remainder in 0 .. ${partitions} - 1 loop
		execute format('create table idempotency_record_p%s partition of idempotency_record '
			'for values with (modulus %s, remainder %s)', remainder, ${partitions}, remainder);
	end loop;
end $$;

insert into idempotency_record select * from idempotency_record_plain where expires_at > clock_timestamp();

drop table idempotency_record_plain;
