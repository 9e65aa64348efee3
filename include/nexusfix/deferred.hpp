// The deferred layer: work that can be done later is handed to another thread, for a few
// nanoseconds.
//
// What it is: queues between two threads (SpscQueue of slots, RecordQueue of bytes), a processor
// that passes submitted records to a callback in the background, and a logger that makes its text
// in the background. For persistence that may lag, audit, drop copies, metrics, logs.
// What it is not: it knows no FIX and reads no clock. Never defer order acknowledgements, changes
// of a session's state or rejects: they must be complete before the counterparty is notified of
// them.
//
// Threads: one thread submits, one thread of this layer consumes; each type says which calls any
// thread may make. Two threads that submit need two queues.
// Allocation: at construction and start. Afterwards only WhenFull::Spill and the logger's
// background thread allocate. Errors are values; constructors throw std::bad_alloc.
//
//   deferred::DeferredProcessor<deferred::MessageBuffer<512>, 65'536> audit{
//       {.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Sleep}};
//   auto started = audit.start([&](const auto& m) {
//     file.write(m.span().data(), m.span().size());
//   });
//   if (!audit.submit(bytes, now)) ++refused;  // counted in stats(), too
//   audit.stop();                              // drains
#pragma once

#include <nexusfix/deferred/deferred_processor.hpp>
#include <nexusfix/deferred/logger.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
