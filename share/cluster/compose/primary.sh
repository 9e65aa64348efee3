#!/bin/sh
# Runs once, when the primary is made: the roles, the database, and who may connect. The standby is
# made later, so that no COMMIT here waits for it.
set -eu
export PGOPTIONS='-c synchronous_commit=local'
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$ENGINE_PASSWORD" <<'SQL'
CREATE ROLE replicator REPLICATION LOGIN PASSWORD :'password';
CREATE ROLE engine LOGIN PASSWORD :'password';
CREATE DATABASE fix OWNER engine;
SQL
{
  echo "host replication replicator samenet scram-sha-256"
  echo "host fix engine samenet scram-sha-256"
} >>"$PGDATA/pg_hba.conf"
