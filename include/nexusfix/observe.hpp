// What an operator sees of a running engine.
//
// What it is: the event log, one line for each rare event, and the logs of each session's messages
// and events, in files and on the screen. What it is not: a store. Lines that a full disk does not
// take are lost and counted, and nothing waits for a log.
//
// Threads: each event loop has its own SessionLogs, which makes and writes its lines on a thread of
// its own. All event loops share one EventLog, and one of them at a time writes to it.
//
// Allocation: one string for each event; none for a message.
//
//   observe::StreamEventLog log{stderr};
//   log.write({now.wall, EventId::LogonRefused, "FIX.4.4:VENUE->TRADER", "Logon refused"});
#pragma once

#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/observe/session_logs.hpp>
