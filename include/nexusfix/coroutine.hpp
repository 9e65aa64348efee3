// coroutine: conversations of a session, written as coroutines.
//
// What it is: an optional part of the engine. A function that returns a Conversation sends an order
// and waits for its report by `co_await next<fix44::ExecutionReport>(5s)`, instead of keeping its
// state between two callbacks. An application that does not derive from Conversations pays nothing.
//
// What it is not: a scheduler, or a second kind of callback. A coroutine runs within the callback
// that resumes it: on the thread of its session's event loop, in the transaction of that callback.
// Messages that no coroutine waits for go to on_message(), as without it.
//
// Threads: only the thread of the session's event loop; other threads post to it by a Remote.
//
// Allocation: the frame of a conversation, when it begins, and in steady state nothing else.
//
//   struct Trader : nexusfix::Conversations<Trader> {
//     void on_logon(Session& session) { trade(session).start(); }
//
//     nexusfix::Conversation trade(Session& session) {
//       if (!session.send<fix44::NewOrderSingle>(...)) co_return;
//       auto report = co_await next<fix44::ExecutionReport>(5s);
//       if (!report) std::puts("no report");
//     }
//     void on_message(Session&, const fix44::ExecutionReport&) {}
//   };
#pragma once

#include <nexusfix/engine/coroutine/conversation.hpp>

namespace nexusfix {

// The names that an application uses.
using engine::Conversation;
using engine::ConversationHandle;
using engine::Conversations;
using engine::Received;
using engine::WaitEnd;

}  // namespace nexusfix
