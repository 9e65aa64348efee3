// What an operator sees of a running engine.
//
// What it is: the event log, one line for each rare thing that happened. What it is not: a log of
// messages; those are in the journal.
//
// Threads: an EventLog is written to on the engine's thread.
// Allocation: one string for each event; events are rare.
//
//   observe::StreamEventLog log{stderr};
//   log.write({now.wall, observe::Severity::Warning, "FIX.4.4:VENUE->TRADER", "Logon refused"});
#pragma once

#include <nexusfix/observe/event_log.hpp>
