--liquibase formatted sql

--changeset plain:1
create table payment (id bigint generated always as identity, text varchar(255));
