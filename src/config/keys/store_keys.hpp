// The keys of the store. All sessions share one store.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;
using store::Durability;
using store::IfOwned;
using store::PostgresOptions;
using store::Retention;
using store::RetiredSegments;
using store::StandbyPolicy;

inline constexpr KeyRow kStore[] = {
    {"Store", NextStart, one_of("journal, memory, postgresql or program"),
     sets_to<&Settings::store, StoreKind::Journal, StoreKind::Memory, StoreKind::PostgreSQL,
             StoreKind::Program>,
     "journal", "postgresql",
     "journal, memory, postgresql or program: a store that the program brings",
     "QuickFIX: as the program says"},
    {"FileStorePath", NextStart, kFolder, shared(Shared::Folder, kReadByBuilder), "store",
     "data/store", "the journal's folder; that of the position file of PostgreSQL",
     "QuickFIX keeps files of its own there: see nexusfix journal import"},
    {"ControlSocket", NextStart, path("the path of a socket"), sets<&Settings::control_socket>, "",
     "run/venue.control",
     "the socket of nexusfix ctl; none: `control` in the journal's folder, and no socket with "
     "another store"},
    {"FileStoreSync", NextStart, kYesOrNo,
     sets_to<&Settings::durability, Durability::Sync, Durability::Process>, "N", "Y",
     "Y: as JournalDurability=sync", "QuickFIX/Go: Y"},
    {"JournalDurability", NextStart, one_of("none, process, group or sync"),
     sets_to<&Settings::durability, Durability::None, Durability::Process, Durability::Group,
             Durability::Sync>,
     "process", "group", "none, process, group or sync: what survives a crash"},
    {"JournalStallTimeout", NextStart, seconds(1, 3'600), sets<&Settings::journal_stall_timeout>,
     "5", "10", "seconds that a disk may stall"},
    {"JournalKeepBytes", NextStart, bytes(0, 1'000'000'000'000'000), sets<&Retention::keep_bytes>,
     "0", "10000000000",
     "old segments are deleted when at least this number of bytes remains; 0: never"},
    {"JournalKeepDays", NextStart, number(0, 36'500, "a whole number of days"),
     sets_in<std::chrono::days, &Retention::keep_for>, "0", "30",
     "segments are deleted this number of days after they were written; 0: never"},
    {"JournalRetireCurrent", NextStart, kYesOrNo, sets<&Retention::even_current>, "N", "Y",
     "Y: by size and age, messages of a current epoch are deleted as well"},
    {"JournalRetired", NextStart, one_of("delete or keep"),
     sets_to<&Retention::retired, RetiredSegments::Delete, RetiredSegments::Keep>, "delete", "keep",
     "keep: retired segments are moved to a folder"},
    {"PostgreSQLStoreConnection", NextStart, secret(kText), sets<&PostgresOptions::connection>, "",
     "sslmode=verify-full", "the rest of libpq's connection string"},
    {"PostgreSQLStoreHost", NextStart, kText, sets<&PostgresOptions::host>, "", "db.example",
     "the host of the database; none: as libpq finds it (PGHOST)"},
    {"PostgreSQLStorePort", NextStart, number(0, 65'535), sets<&PostgresOptions::port>, "", "5432",
     "the port of the database; none: as libpq finds it (PGPORT)"},
    {"PostgreSQLStoreDatabase", NextStart, kText, sets<&PostgresOptions::database>, "", "fix",
     "the name of the database; none: as libpq finds it (PGDATABASE)"},
    {"PostgreSQLStoreUser", NextStart, kText, sets<&PostgresOptions::user>, "", "engine",
     "the user of the database; none: as libpq finds it (PGUSER)"},
    {"PostgreSQLStorePassword", NextStart, secret(kText), sets<&PostgresOptions::password>, "",
     "change-me", "the password of PostgreSQLStoreUser; none: as libpq finds it (~/.pgpass)"},
    {"PostgreSQLStoreSchema", NextStart, kText, sets<&PostgresOptions::schema>, "nexusfix", "venue",
     "the schema that holds this engine's log"},
    {"PostgreSQLStoreStandby", NextStart, one_of("available or strict"),
     sets_to<&PostgresOptions::standby, StandbyPolicy::Available, StandbyPolicy::Strict>,
     "available", "strict",
     "strict: nothing is sent that no synchronous standby has; the default with ClusterShard and "
     "PostgreSQLStoreIfOwned=wait"},
    {"PostgreSQLStoreKeepPosition", NextStart, kYesOrNo, kReadByBuilder, "Y", "N",
     "FileStorePath records what the database confirmed, so that the next start detects a loss"},
    {"PostgreSQLStoreOutageTimeout", NextStart, seconds(1, 86'400),
     sets_in<std::chrono::seconds, &PostgresOptions::outage_max>, "30", "120",
     "seconds that the database may be unavailable before the store fails"},
    {"PostgreSQLStoreIfOwned", NextStart, one_of("refuse or wait"),
     sets_to<&PostgresOptions::if_owned, IfOwned::Refuse, IfOwned::Wait>, "refuse", "wait",
     "wait: while another engine owns the log, this one is its standby, and takes it over"},
    {"RefreshOnLogon", NextStart, kYesOrNo, shared(Shared::Logs, kReadByBuilder), "N", "Y",
     "Y, with Store=postgresql: as PostgreSQLStoreIfOwned=wait, unless that is given"},
    {"PostgreSQLStorePeerTimeout", NextStart, seconds(3, 3'600),
     sets_in<std::chrono::seconds, &PostgresOptions::peer_timeout>, "15", "30",
     "seconds after which the server drops the lock of a silent machine, or of a stopped engine"},
};

}  // namespace nexusfix::config::keys
