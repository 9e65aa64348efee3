// The store: which message was sent with which MsgSeqNum, and which comes next, after any crash.
//
// What it is: one append-only log for all sessions of an event loop. Each event of a session (what
// arrived, and what was sent because of it) is one Transaction and becomes one record, which is in
// the log whole or not at all. Two positions say how far the log is appended() and how far it is
// durable(). Bytes go to a socket only when their record is durable. There are three stores: the
// journal on disk (the default), memory, and PostgreSQL (postgres.hpp, a target of its own). A
// program can bring another one: store_factory.hpp, record_store.hpp.
//
// What it is not: it does not know FIX. Messages are bytes with a number, and names of sessions are
// text. Of an inbound message it stores the number, and the bytes only if the caller gives them to
// Transaction::inbound_progress(). Copies on other machines: postgres.hpp.
//
// Threads: one thread at a time may use a store and everything that it returned.
//
// Allocation: append(), flush() and Transaction do not allocate in steady state. Opening, new
// sessions and reading do. flush() blocks on the disk as the durability requires; append() does
// when a segment of the journal is full.
//
//   auto journal = store::open_journal(disk, {.folder = "journal"}, clock.now().wall);
//   if (!journal) return report(journal.error().text);
//   store::Store& log = *journal->store;
//   const auto key = log.open_session("FIX.4.4:VENUE->TRADER", clock.now().wall);
//   store::Transaction transaction;
//   transaction.outbound_message(*key, log.session(*key).next_outbound, bytes);
//   transaction.inbound_progress(*key, log.session(*key).next_inbound + 1);
//   const auto position = log.append(transaction, clock.now().wall);
//   if (!position || !log.flush()) return stop_trading();
//   send(bytes);  // durable() is at least *position now
#pragma once

#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/record_store.hpp>
#include <nexusfix/store/store.hpp>
