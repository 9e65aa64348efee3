#!/bin/sh
# Copies the primary once, and then runs as its standby.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chmod 0700 "$PGDATA"
  PGPASSWORD="$ENGINE_PASSWORD" pg_basebackup -R -X stream -D "$PGDATA" \
    -d "host=db1 user=replicator application_name=db2 password=$ENGINE_PASSWORD"
fi
exec postgres
