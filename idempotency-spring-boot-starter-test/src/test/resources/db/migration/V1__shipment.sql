create table shipment (item text not null);
