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

-- Sixteen parts, in the order in which they are on disk, so that the log says how far it is:
-- each reads its own pages alone.
create procedure pg_temp.copy_records(part integer) language plpgsql as $$
declare
	pages bigint := pg_relation_size('idempotency_record_plain') / current_setting('block_size')::bigint + 1;
	begin_at tid := format('(%s,0)', pages * (part - 1) / 16)::tid;
	end_at tid := format('(%s,0)', pages * part / 16)::tid;
	spent interval;
begin
	insert into idempotency_record select * from idempotency_record_plain
		where ctid >= begin_at and ctid < end_at and expires_at > clock_timestamp();
	spent := clock_timestamp() - now();
	raise notice 'idempotency: % of 16 parts of the answers are copied; about % s are left', part,
		ceil(extract(epoch from spent) * (16 - part) / part);
end $$;

call pg_temp.copy_records(1);
call pg_temp.copy_records(2);
call pg_temp.copy_records(3);
call pg_temp.copy_records(4);
call pg_temp.copy_records(5);
call pg_temp.copy_records(6);
call pg_temp.copy_records(7);
call pg_temp.copy_records(8);
call pg_temp.copy_records(9);
call pg_temp.copy_records(10);
call pg_temp.copy_records(11);
call pg_temp.copy_records(12);
call pg_temp.copy_records(13);
call pg_temp.copy_records(14);
call pg_temp.copy_records(15);
call pg_temp.copy_records(16);

drop procedure pg_temp.copy_records(integer);

drop table idempotency_record_plain;
