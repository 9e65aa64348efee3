// The session layer: the FIX rules by which two counterparties exchange numbered messages, over any
// number of connections, without losing a message or processing one twice.
//
// What it is: a pure state machine for one session, initiator or acceptor, with FIX 4.0 to 4.4 or
// FIXT 1.1, which carries FIX 5.0, 5.0SP1 and 5.0SP2. version.hpp has the differences. Events go
// in: connected, a parsed message, the time, a command. Actions come out: transmit, deliver,
// buffer, replay, disconnect.
//
// What it is not: it has no clock, socket, file, thread or log. It does not frame or parse bytes,
// and stores no message. It has no dictionary: the validators of its configuration check required
// body fields and enumerations.
//
// Threads: one thread at a time may use a StateMachine. Two machines share nothing, except a
// ValidationMemory that their configurations name, and an EventMemory that they were given.
// Allocation: only in the constructor. No function throws or blocks.
//
//   session::StateMachine machine{{.id = {"FIX.4.4", "VENUE", "TRADER", ""}}, numbers_from_store};
//   std::array<char, session::StateMachine::kScratchBytes> scratch;
//   machine.on_message(*parser.parse(frame), now);
//   while (auto action = machine.next_action(scratch)) {
//     if (auto* transmit = std::get_if<session::Transmit>(&*action)) {
//       connection.send(transmit->bytes);
//     } else if (auto* deliver = std::get_if<session::Deliver>(&*action)) {
//       machine.on_delivered(application.on_message(*deliver->message), now);
//     }  // ... and the others: see actions.hpp
//   }
//   timer.set(machine.next_deadline());
#pragma once

#include <nexusfix/session/actions.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/decisions.hpp>
#include <nexusfix/session/reject_reason.hpp>
#include <nexusfix/session/schedule.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/session/time_zone.hpp>
#include <nexusfix/session/version.hpp>
