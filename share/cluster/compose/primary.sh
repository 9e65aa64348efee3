#!/bin/sh
# Runs once, when the primary is made: the roles, the database, and who may connect. A COMMIT waits
# for the standby from the next start of the server on, so that nothing here waits for it.
set -eu
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$ENGINE_PASSWORD" <<'SQL'
CREATE ROLE replicator REPLICATION LOGIN PASSWORD :'password';
CREATE ROLE engine LOGIN PASSWORD :'password';
CREATE DATABASE fix OWNER engine;
ALTER SYSTEM SET synchronous_standby_names = 'db2';
ALTER SYSTEM SET min_wal_size = '1GB';
SQL
{
  echo "host replication replicator samenet scram-sha-256"
  echo "host fix engine samenet scram-sha-256"
} >>"$PGDATA/pg_hba.conf"
