// The SQL that makes each version of the tables from the one before it.
#pragma once

#include <array>

#include "cluster/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {

// The bytes of names, messages and reasons are kept unchanged: a database's encoding may not have
// all of them. position: where the entry begins in the log; the same for all tables.
inline constexpr const char* kTables = R"sql(
CREATE TABLE log_state (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  position bigint NOT NULL DEFAULT 0,
  owner_epoch bigint NOT NULL DEFAULT 0,
  owner_first_epoch bigint NOT NULL DEFAULT 0,
  owner text NOT NULL DEFAULT '',
  owned_since timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 10);
INSERT INTO log_state DEFAULT VALUES;
CREATE TABLE sessions (
  session_key integer PRIMARY KEY,
  name bytea NOT NULL UNIQUE,
  epoch bigint NOT NULL,
  next_inbound bigint NOT NULL,
  next_outbound bigint NOT NULL,
  created_ns bigint NOT NULL,
  is_unfinished boolean NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE messages (
  session_key integer NOT NULL,
  epoch bigint NOT NULL,
  msg_seq_num bigint NOT NULL,
  position bigint NOT NULL UNIQUE,
  bytes bytea NOT NULL,
  PRIMARY KEY (session_key, epoch, msg_seq_num)
);
CREATE TABLE number_changes (
  position bigint PRIMARY KEY,
  session_key integer NOT NULL,
  changed_ns bigint NOT NULL,
  inbound_before bigint NOT NULL,
  outbound_before bigint NOT NULL,
  epoch_before bigint NOT NULL,
  inbound_after bigint NOT NULL,
  outbound_after bigint NOT NULL,
  epoch_after bigint NOT NULL,
  is_unfinished boolean NOT NULL,
  reason bytea NOT NULL
);
CREATE TABLE lost_numbers (
  position bigint PRIMARY KEY,
  session_key integer NOT NULL,
  epoch bigint NOT NULL,
  first_number bigint NOT NULL,
  last_number bigint NOT NULL
);
CREATE FUNCTION advance_log(my_epoch bigint, begins_at bigint, ends_at bigint) RETURNS void
LANGUAGE plpgsql AS $body$
DECLARE
  found_state log_state%ROWTYPE;
BEGIN
  UPDATE log_state SET position = ends_at
    WHERE owner_epoch = my_epoch AND position = begins_at;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO found_state FROM log_state;
  IF found_state.owner_epoch <> my_epoch THEN
    RAISE EXCEPTION 'the log was taken over by % (owner epoch % instead of %)',
      found_state.owner, found_state.owner_epoch, my_epoch USING ERRCODE = 'NXF01';
  END IF;
  RAISE EXCEPTION 'the log ends at % and not at %', found_state.position, begins_at
    USING ERRCODE = 'NXF02';
END
$body$;
)sql";

// Views for people: texts instead of bytes, a bar instead of SOH, times instead of nanoseconds.
inline constexpr const char* kViews = R"sql(
CREATE VIEW session_list AS
  SELECT session_key, encode(name, 'escape') AS name, epoch, next_inbound, next_outbound,
         to_timestamp(created_ns / 1000000000.0) AS created, is_unfinished
  FROM sessions;
CREATE VIEW message_list AS
  SELECT m.position, encode(s.name, 'escape') AS name, m.epoch, m.msg_seq_num,
         replace(encode(m.bytes, 'escape'), chr(1), '|') AS message
  FROM messages m JOIN sessions s USING (session_key);
CREATE VIEW number_change_list AS
  SELECT c.position, encode(s.name, 'escape') AS name,
         to_timestamp(c.changed_ns / 1000000000.0) AS changed,
         c.inbound_before, c.outbound_before, c.epoch_before,
         c.inbound_after, c.outbound_after, c.epoch_after, c.is_unfinished,
         encode(c.reason, 'escape') AS reason
  FROM number_changes c JOIN sessions s USING (session_key);
)sql";

// Which log it is, and which process has claimed it where: an owner finds out by it that the log
// went on without its own last records, however long it has become.
inline constexpr const char* kLineage = R"sql(
ALTER TABLE log_state ADD COLUMN log_id text NOT NULL
  DEFAULT md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text);
CREATE TABLE owners (
  first_epoch bigint PRIMARY KEY,
  claim text NOT NULL UNIQUE,
  position bigint NOT NULL,
  owner text NOT NULL,
  owned_since timestamptz NOT NULL DEFAULT now()
);
)sql";

// One row a COMMIT in place of one row a message: the entries of its records as the journal encodes
// them (src/store/api/entry.hpp), from log position `position` on. session_keys and epochs name
// each session with a message there; a session whose epoch changes in the chunk is named once for
// each epoch, the first one first. message_places finds a message: the row with the greatest
// first_number that is not above its MsgSeqNum. Messages of an earlier version become chunks of up
// to 64; where a session's epoch changes, a chunk begins.
inline constexpr const char* kChunks = R"sql(
CREATE TABLE chunks (
  position bigint PRIMARY KEY,
  written timestamptz DEFAULT now(),
  session_keys integer[] NOT NULL,
  epochs bigint[] NOT NULL,
  entries bytea NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE chunks ALTER COLUMN entries SET STORAGE EXTERNAL;
CREATE TABLE message_places (
  session_key integer NOT NULL,
  epoch bigint NOT NULL,
  first_number bigint NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (session_key, epoch, first_number)
);
CREATE FUNCTION to_little_endian(number bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $body$
  SELECT substr(int8send(number), 8, 1) || substr(int8send(number), 7, 1) ||
         substr(int8send(number), 6, 1) || substr(int8send(number), 5, 1) ||
         substr(int8send(number), 4, 1) || substr(int8send(number), 3, 1) ||
         substr(int8send(number), 2, 1) || substr(int8send(number), 1, 1)
$body$;
CREATE UNLOGGED TABLE grouped_messages AS
  SELECT session_key, epoch, msg_seq_num, position, bytes,
         min(position) OVER (PARTITION BY run, part) AS chunk
  FROM (SELECT *, (row_number() OVER (PARTITION BY run ORDER BY position) - 1) / 64 AS part
        FROM (SELECT *, count(*) FILTER (WHERE epoch <> epoch_before)
                          OVER (ORDER BY position) AS run
              FROM (SELECT *, lag(epoch) OVER (PARTITION BY session_key ORDER BY position)
                                AS epoch_before
                    FROM messages) with_before) with_run) with_part;
INSERT INTO message_places (session_key, epoch, first_number, position)
  SELECT session_key, epoch, min(msg_seq_num), chunk FROM grouped_messages
  GROUP BY chunk, session_key, epoch;
INSERT INTO chunks (position, written, session_keys, epochs, entries)
  SELECT chunk, NULL, p.session_keys, p.epochs, g.entries
  FROM (SELECT chunk, string_agg('\x03'::bytea ||
                 substr(to_little_endian(session_key), 1, 4) || to_little_endian(msg_seq_num) ||
                 substr(to_little_endian(octet_length(bytes)), 1, 4) || bytes,
                 ''::bytea ORDER BY position) AS entries
        FROM grouped_messages GROUP BY chunk) g
  JOIN (SELECT position AS chunk, array_agg(session_key ORDER BY session_key) AS session_keys,
               array_agg(epoch ORDER BY session_key) AS epochs
        FROM message_places GROUP BY position) p USING (chunk);
DROP VIEW message_list;
DROP TABLE grouped_messages, messages;
DROP FUNCTION to_little_endian;
CREATE FUNCTION refuse_append(my_epoch bigint, begins_at bigint) RETURNS void
LANGUAGE plpgsql AS $body$
DECLARE
  found_state log_state%ROWTYPE;
BEGIN
  SELECT * INTO found_state FROM log_state;
  IF found_state.owner_epoch <> my_epoch THEN
    RAISE EXCEPTION 'the log was taken over by % (owner epoch % instead of %)',
      found_state.owner, found_state.owner_epoch, my_epoch USING ERRCODE = 'NXF01';
  END IF;
  RAISE EXCEPTION 'the log ends at % and not at %', found_state.position, begins_at
    USING ERRCODE = 'NXF02';
END
$body$;
CREATE FUNCTION little_endian(bytes bytea, at integer, size integer) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $body$
DECLARE
  number bigint := 0;
BEGIN
  FOR i IN REVERSE size - 1 .. 0 LOOP
    number := (number << 8) | get_byte(bytes, at + i);
  END LOOP;
  RETURN number;
END
$body$;
CREATE FUNCTION messages_of(chunk chunks)
RETURNS TABLE (session_key integer, epoch bigint, msg_seq_num bigint, bytes bytea)
LANGUAGE plpgsql STABLE AS $body$
DECLARE
  at integer := 0;
  size integer;
  kind integer;
  place integer;
  begun integer[] := '{}';
BEGIN
  WHILE at < octet_length(chunk.entries) LOOP
    kind := get_byte(chunk.entries, at);
    session_key := little_endian(chunk.entries, at + 1, 4);
    size := little_endian(chunk.entries, at + 13, 4);
    place := array_position(chunk.session_keys, session_key);
    IF kind = 3 THEN
      begun := begun || session_key;
      epoch := chunk.epochs[place];
      msg_seq_num := little_endian(chunk.entries, at + 5, 8);
      bytes := substr(chunk.entries, at + 18, size);
      RETURN NEXT;
    ELSIF kind = 5 AND session_key = ANY (begun) THEN
      chunk.epochs[place] := chunk.epochs[place] + 1;
    ELSIF kind = 6 AND session_key = ANY (begun) THEN
      chunk.epochs[place] := little_endian(chunk.entries, at + 57, 8);
    END IF;
    at := at + 17 + size;
  END LOOP;
END
$body$;
CREATE VIEW message_list AS
  SELECT p.position, encode(s.name, 'escape') AS name, m.epoch, m.msg_seq_num,
         replace(encode(m.bytes, 'escape'), chr(1), '|') AS message, c.written
  FROM sessions s JOIN message_places p USING (session_key) JOIN chunks c USING (position)
  CROSS JOIN LATERAL messages_of(c) m
  WHERE m.session_key = p.session_key AND m.epoch = p.epoch;
CREATE FUNCTION find_messages(session_name text, first bigint, last bigint)
RETURNS TABLE (epoch bigint, msg_seq_num bigint, message text, written timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $body$
  SELECT m.epoch, m.msg_seq_num, replace(encode(m.bytes, 'escape'), chr(1), '|'), c.written
  FROM sessions s JOIN message_places p USING (session_key) JOIN chunks c USING (position)
  CROSS JOIN LATERAL messages_of(c) m
  WHERE encode(s.name, 'escape') = session_name AND m.session_key = p.session_key AND
        m.epoch = p.epoch AND m.msg_seq_num BETWEEN first AND last AND p.first_number <= last AND
        p.first_number >= coalesce((SELECT max(f.first_number) FROM message_places f
          WHERE f.session_key = p.session_key AND f.epoch = p.epoch AND f.first_number <= first), 0)
  ORDER BY m.epoch, m.msg_seq_num
$body$;
CREATE FUNCTION delete_old_epochs() RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM message_places p USING sessions s
    WHERE s.session_key = p.session_key AND p.epoch < s.epoch;
  DELETE FROM chunks c
    WHERE NOT EXISTS (SELECT FROM message_places p WHERE p.position = c.position);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$body$;
)sql";

// The row of the replica of a journal, which programs of versions before 8 could make. source: the
// place in the journal up to which the log has it. NULL: the log is no replica. numbers_ahead: that
// each session may have used, and the log lacks. lacks_more: the log may lack more than these.
// first_number: of a session that the log does not have.
inline constexpr const char* kReplica = R"sql(
ALTER TABLE log_state
  ADD COLUMN source bigint[],
  ADD COLUMN replica_mode text NOT NULL DEFAULT '',
  ADD COLUMN numbers_ahead bigint NOT NULL DEFAULT 0,
  ADD COLUMN lacks_more boolean NOT NULL DEFAULT false,
  ADD COLUMN first_number bigint NOT NULL DEFAULT 1;
)sql";

// Rows of `sessions` and `message_places` that are written once for several chunks: rows_position
// is where the chunks begin that they may lack. In these chunks nothing changes a session but
// messages (kind 3), outbound numbers without a message (4) and next inbound numbers (2). A row may
// have more than the log before rows_position; no message from its next outbound number on has a
// place. last_position: of the last chunk of a place; NULL: it has one chunk. OFFSET 0: chunks are
// found by index. little_endian() is faster than that of version 4: these chunks are often decoded.
inline constexpr const char* kLaggingRows = R"sql(
ALTER TABLE log_state ADD COLUMN rows_position bigint NOT NULL DEFAULT 0;
UPDATE log_state SET rows_position = position;
ALTER TABLE message_places ADD COLUMN last_position bigint;
DROP VIEW session_list, message_list;
CREATE OR REPLACE FUNCTION little_endian(bytes bytea, at integer, size integer) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $body$
  SELECT get_byte(bytes, at) + (get_byte(bytes, at + 1)::bigint << 8) +
         (get_byte(bytes, at + 2)::bigint << 16) + (get_byte(bytes, at + 3)::bigint << 24) +
         CASE WHEN size = 4 THEN 0 ELSE
           (get_byte(bytes, at + 4)::bigint << 32) + (get_byte(bytes, at + 5)::bigint << 40) +
           (get_byte(bytes, at + 6)::bigint << 48) + (get_byte(bytes, at + 7)::bigint << 56) END
$body$;
CREATE FUNCTION numbers_of(chunk chunks)
RETURNS TABLE (session_key integer, next_inbound bigint, next_outbound bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $body$
DECLARE
  at integer := 0;
  kind integer;
  number bigint;
BEGIN
  WHILE at < octet_length(chunk.entries) LOOP
    kind := get_byte(chunk.entries, at);
    session_key := little_endian(chunk.entries, at + 1, 4);
    number := little_endian(chunk.entries, at + 5, 8);
    next_inbound := CASE WHEN kind = 2 THEN number END;
    next_outbound := CASE WHEN kind IN (3, 4) THEN number + 1 END;
    RETURN NEXT;
    at := at + 17 + little_endian(chunk.entries, at + 13, 4);
  END LOOP;
END
$body$;
CREATE VIEW session_list AS
  SELECT s.session_key, encode(s.name, 'escape') AS name, s.epoch,
         greatest(s.next_inbound, n.inbound) AS next_inbound,
         greatest(s.next_outbound, n.outbound) AS next_outbound,
         to_timestamp(s.created_ns / 1000000000.0) AS created, s.is_unfinished
  FROM sessions s LEFT JOIN
       (SELECT n.session_key, max(n.next_inbound) AS inbound, max(n.next_outbound) AS outbound
        FROM chunks c CROSS JOIN LATERAL numbers_of(c) n
        WHERE c.position BETWEEN (SELECT rows_position FROM log_state) AND
                                 (SELECT position FROM log_state)
        GROUP BY n.session_key) n USING (session_key);
CREATE VIEW message_list AS
  SELECT c.position, encode(s.name, 'escape') AS name, m.epoch, m.msg_seq_num,
         replace(encode(m.bytes, 'escape'), chr(1), '|') AS message, c.written
  FROM sessions s JOIN chunks c ON s.session_key = ANY (c.session_keys)
  CROSS JOIN LATERAL messages_of(c) m
  WHERE m.session_key = s.session_key AND
        (m.epoch >= s.epoch OR EXISTS (SELECT FROM message_places p
           WHERE p.session_key = m.session_key AND p.epoch = m.epoch));
CREATE OR REPLACE FUNCTION find_messages(session_name text, first bigint, last bigint)
RETURNS TABLE (epoch bigint, msg_seq_num bigint, message text, written timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $body$
  SELECT m.epoch, m.msg_seq_num, replace(encode(m.bytes, 'escape'), chr(1), '|'), c.written
  FROM sessions s CROSS JOIN LATERAL
    (SELECT p.epoch, p.position AS from_position,
            coalesce(p.last_position, p.position) AS to_position, first AS from_number
     FROM message_places p
     WHERE p.session_key = s.session_key AND p.first_number <= last AND
           p.first_number >= coalesce((SELECT max(f.first_number) FROM message_places f
             WHERE f.session_key = p.session_key AND f.epoch = p.epoch AND
                   f.first_number <= first), 0)
     UNION ALL SELECT s.epoch, l.rows_position, l.position, greatest(first, s.next_outbound)
     FROM log_state l WHERE last >= s.next_outbound) r
  CROSS JOIN LATERAL
    (SELECT * FROM chunks
     WHERE position BETWEEN r.from_position AND r.to_position AND
           s.session_key = ANY (session_keys) OFFSET 0) c
  CROSS JOIN LATERAL messages_of(c) m
  WHERE encode(s.name, 'escape') = session_name AND m.session_key = s.session_key AND
        m.epoch = r.epoch AND m.msg_seq_num BETWEEN r.from_number AND last
  ORDER BY m.epoch, m.msg_seq_num
$body$;
CREATE OR REPLACE FUNCTION delete_old_epochs() RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM message_places p USING sessions s
    WHERE s.session_key = p.session_key AND p.epoch < s.epoch;
  DELETE FROM chunks c
    WHERE NOT EXISTS (SELECT FROM unnest(c.session_keys, c.epochs) AS m(session_key, epoch)
                      JOIN sessions s USING (session_key) WHERE m.epoch >= s.epoch);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$body$;
)sql";

// By how much sequence numbers were raised in all, beside those that were used one by one. An
// engine that waits knows by it how many were used in a part of the log that was lost.
inline constexpr const char* kRaised = R"sql(
ALTER TABLE log_state ADD COLUMN raised bigint NOT NULL DEFAULT 0;
)sql";

// What delete_old_epochs() has deleted: a program that follows the log knows by it that it lacks
// messages.
inline constexpr const char* kDeletions = R"sql(
CREATE TABLE deletions (
  position bigint NOT NULL,
  deleted timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE FUNCTION delete_old_epochs() RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
  deleted bigint;
  last bigint;
BEGIN
  DELETE FROM message_places p USING sessions s
    WHERE s.session_key = p.session_key AND p.epoch < s.epoch;
  WITH gone AS (DELETE FROM chunks c
    WHERE NOT EXISTS (SELECT FROM unnest(c.session_keys, c.epochs) AS m(session_key, epoch)
                      JOIN sessions s USING (session_key) WHERE m.epoch >= s.epoch)
    RETURNING position)
  SELECT count(*), max(position) INTO deleted, last FROM gone;
  IF deleted > 0 THEN
    INSERT INTO deletions (position) VALUES (last);
  END IF;
  RETURN deleted;
END
$body$;
)sql";

// From version index to index + 1.
inline constexpr std::array<const char*, kSchemaVersion> kMigrations{
    kTables, kViews, kLineage, kChunks, kReplica, kLaggingRows, kRaised, kDeletions};

}  // namespace nexusfix::store::postgres
