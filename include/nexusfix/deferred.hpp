// The deferred layer: work that need not be done now, handed to another thread for a few
// nanoseconds.
//
// What it is: queues between two threads (SpscQueue of slots, RecordQueue of bytes), a processor
// that hands what was submitted to a callback in the background, and a logger whose text is made in
// the background. For persistence that may lag, audit, drop copies, metrics, logs.
// What it is not: it knows no FIX and reads no clock. Order acknowledgements, changes of a
// session's state and rejects are never deferred: whoever is told something must find it done.
//
// Threads: one thread submits, one thread of the layer's own consumes; each type says which calls
// any thread may make. Two threads that submit need a queue each.
// Allocation: when constructed and started, not afterwards, but for WhenFull::Spill and for the
// logger's background thread. Errors are values; constructors throw std::bad_alloc.
//
//   deferred::DeferredProcessor<deferred::MessageBuffer<512>, 65'536> audit{
//       {.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Sleep}};
//   auto started = audit.start([&](const auto& m) { file.write(m.span().data(), m.span().size());
//   }); if (!audit.submit(bytes, now)) ++refused;  // counted in stats(), too audit.stop(); //
//   drains
#pragma once

#include <nexusfix/deferred/consumer_thread.hpp>
#include <nexusfix/deferred/deferred_processor.hpp>
#include <nexusfix/deferred/logger.hpp>
#include <nexusfix/deferred/message_buffer.hpp>
#include <nexusfix/deferred/record_queue.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
