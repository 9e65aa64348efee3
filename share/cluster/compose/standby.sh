#!/bin/sh
# Copies the primary once, and then runs as its standby. The name is that of the other server: a
# standby does not use it, and after it is promoted it waits for that one. ALTER SYSTEM would write
# the name into the data, which each copy has.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chmod 0700 "$PGDATA"
  PGPASSWORD="$ENGINE_PASSWORD" pg_basebackup -R -X stream -c fast -D "$PGDATA" \
    -d "host=db1 user=replicator application_name=db2 password=$ENGINE_PASSWORD"
fi
exec postgres -c synchronous_standby_names=db1 -c min_wal_size=1GB
