// engine: acceptors and initiators of one configuration file.
//
// What it is: the layer that joins the pure session to the world. It reads a QuickFIX-style .cfg,
// opens the store, listens and connects, cuts the stream into messages, and performs what the
// session's state machine asks for: each event is one transaction, journaled before it is sent.
//
// What it is not: a thread pool or a scheduler. One engine is one event loop on one thread.
//
// Threads: open() on any thread; after that one thread calls run() or poll() and everything else,
// callbacks included. Only Engine::stop() may be called from other threads and signal handlers.
//
// Allocation: at start, when a counterparty connects, and when a buffer grows to a size that it
// never had before. A logged-on session in steady state allocates nothing between recv and send.
//
//   struct Venue {
//     using Handles = nexusfix::Messages<fix44::NewOrderSingle>;
//     Verdict on_message(Session& session, const fix44::NewOrderSingle& order) {
//       auto sent = session.send<fix44::ExecutionReport>(fix44::OrderID{"1"}, ...);
//       return sent ? accept() : business_reject(0, 0, "cannot answer");
//     }
//   };
//   Venue venue;
//   return nexusfix::run("venue.cfg", venue);
#pragma once

#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/session.hpp>

namespace nexusfix {

// The words that an application writes.
using config::load_settings;
using config::parse_settings;
using config::Settings;
using config::SettingsError;
using config::SettingsErrors;
using engine::accept;
using engine::business_reject;
using engine::Disconnection;
using engine::Engine;
using engine::EngineError;
using engine::EngineOptions;
using engine::LogonAnswer;
using engine::LogonRequest;
using engine::Messages;
using engine::Outgoing;
using engine::OutgoingMessage;
using engine::RecoveredMessage;
using engine::reject_for;
using engine::ResendAnswer;
using engine::ResendRequest;
using engine::run;
using engine::SendError;
using engine::SendResult;
using engine::Sent;
using engine::SentMessage;
using engine::Session;
using engine::session_reject;
using engine::unsupported_message_type;
using engine::Verdict;
using session::SessionId;
using wire::entry;
using wire::group;
using wire::MessageView;

}  // namespace nexusfix
