create table invoice (id uuid primary key, label varchar(255));
