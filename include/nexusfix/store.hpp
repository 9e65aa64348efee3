// store: which bytes were sent as number n, and what comes next, after any crash.
//
// What it is. One append-only log for all sessions of a shard. Every event of a session (what
// arrived, what was sent because of it) is one Transaction and becomes one record: whole or not at
// all. Two watermarks tell how far the log is appended() and how far it is durable(); bytes go to a
// socket only when their record is durable. Two stores keep the contract: the journal on disk (the
// default) and memory.
//
// What it is not. It knows no FIX: messages are bytes under a number, and names of sessions are
// text. It keeps no inbound messages, only how far they were processed. It does not replicate.
//
// Threads. One thread at a time, for a store and everything that it gave.
//
// Allocation. append(), flush() and Transaction do not allocate in steady state; opening, new
// sessions and reading do. flush() blocks on the disk as long as the durability asks; append() does
// when a segment of the journal is full.
//
//   auto journal = store::open_journal(disk, {.folder = "journal"}, clock.now().wall);
//   if (!journal) return report(journal.error().text);
//   store::Store& log = *journal->store;
//   const auto key = log.open_session("FIX.4.4:VENUE->TRADER", clock.now().wall);
//   store::Transaction transaction;
//   transaction.inbound_progress(*key, log.session(*key).next_inbound + 1);
//   transaction.outbound_message(*key, log.session(*key).next_outbound, bytes);
//   const auto position = log.append(transaction, clock.now().wall);
//   if (!position || !log.flush()) return stop_trading();
//   send(bytes);  // durable() is at least *position now
#pragma once

#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/memory_store.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/store/transaction.hpp>
