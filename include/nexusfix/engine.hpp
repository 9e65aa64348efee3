// engine: acceptors and initiators of one configuration file.
//
// What it is: the layer that connects the pure session layer to files and sockets. It reads a
// QuickFIX-style .cfg, opens the store, listens and connects, splits the stream into messages, and
// performs the actions of the session's state machine. Each event is one transaction, which is
// journaled before its messages are sent.
//
// What it is not: a thread pool or a scheduler. An engine has one event loop, or N with
// `EventLoops=N`. Each loop has its own sessions and its own store, and one thread serves it.
//
// Threads: any thread may call Engine::open(). Then run() serves the first loop on the calling
// thread, and the engine starts N - 1 threads for the others; start() serves all loops on threads
// of the engine. Instead, the program may call poll() for each loop, on one thread a loop.
//
// A Session belongs to the thread of its loop, which also runs its callbacks. Callbacks of sessions
// of different loops run at the same time: the application guards the state that they share. A
// function that takes the number of a loop belongs to the thread of that loop. Other threads reach
// sessions by a Remote (Engine::remote()). They and signal handlers call only the functions that
// say so, such as Engine::stop().
//
// Allocation: at start, when a counterparty connects, and when a buffer grows to a new maximum. A
// logged-on session in steady state allocates nothing between recv and send.
//
//   struct Venue {
//     MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
//       auto sent = session.send<fix44::ExecutionReport>(fix44::OrderID{"1"}, ...);
//       return sent ? accept() : business_reject(0, 0, "cannot answer");
//     }
//   };
//   Venue venue;
//   return nexusfix::run("venue.cfg", venue);
#pragma once

// clang-format off: in the order of their use, so that an error names few of them.
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>
#include <nexusfix/wire/typed_write.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/engine/callbacks.hpp>
// clang-format on
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/remote.hpp>

namespace nexusfix {

// The names that an application uses.
using engine::accept;
using engine::Application;
using engine::business_reject;
using engine::Disconnection;
using engine::Engine;
using engine::EngineError;
using engine::EngineOptions;
using engine::EngineStatistics;
using engine::LogonAnswer;
using engine::LogonRequest;
using engine::LogonWait;
using engine::MessageReply;
using engine::Messages;
using engine::OutgoingMessage;
using engine::Parts;
using engine::PendingChange;
using engine::PendingKeys;
using engine::PostedTask;
using engine::PostOutcome;
using engine::PostResult;
using engine::PostToken;
using engine::RecoveredMessage;
using engine::reject_for;
using engine::Reloaded;
using engine::Remote;
using engine::RemoteError;
using engine::RemoteFailure;
using engine::ResendAnswer;
using engine::ResendRequest;
using engine::run;
using engine::SendDecision;
using engine::SendError;
using engine::SendFailure;
using engine::SendResult;
using engine::Sent;
using engine::SentMessage;
using engine::Session;
using engine::session_reject;
using engine::SessionHandle;
using engine::SessionRange;
using engine::StopSignals;
using engine::TimerCallback;
using engine::TimerHandle;
using engine::unsupported_message_type;
using observe::EventLog;
using session::DisconnectReason;
using session::Numbers;
using session::SessionId;
using wire::entry;
using wire::group;
using wire::MessageView;

}  // namespace nexusfix
