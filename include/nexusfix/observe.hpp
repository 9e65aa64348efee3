// What an operator sees of a running engine.
//
// What it is: the event log, one line for each rare thing that happened, and the logs of each
// session, of its messages and events, as files and on the screen. What it is not: a store; what a
// log loses on a disk that is full is counted, and nothing waits for it.
//
// Threads: all of it is written to on the engine's thread; SessionLogs makes lines and writes on a
// thread of its own.
// Allocation: one string for each event; none for a message.
//
//   observe::StreamEventLog log{stderr};
//   log.write({now.wall, observe::Severity::Warning, "FIX.4.4:VENUE->TRADER", "Logon refused"});
#pragma once

#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/observe/session_logs.hpp>
