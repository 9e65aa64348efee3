// The wire layer: bytes to fields and fields to bytes.
//
// What it is: framing (where does a message end), parsing (which fields does it have), conversions
// (what does a value mean), and encoding, for every FIX version, on the caller's bytes.
// What it is not: it knows no dictionary, so it cannot tell a required field from an optional one,
// and it needs a GroupShape from its caller to find repeating groups. It knows no session, so it
// never judges a MsgSeqNum. It has no socket.
//
// Threads: one thread at a time uses an object. The only shared state is the kernel, which is
// chosen once for the CPU. Any number of threads may read a valid MessageView. Allocation: only a
// Parser's index, which grows when a message has more fields than every earlier one. Only that
// allocation can throw. Views live as long as the bytes that they point into.
//
//   std::string_view received = ...;                          // what recv() returned
//   nexusfix::wire::Framer framer{received};
//   nexusfix::wire::Parser parser;
//   while (auto frame = framer.next()) {
//     auto message = parser.parse(*frame);
//     if (!message) continue;                                 // garbled: message.error() says why
//     auto symbol = (*message)[55].value_or("none");
//     auto price = message->get<nexusfix::Decimal>(44);       // a value, or an error
//   }
//   keep(framer.rest());                                      // the start of the next message
#pragma once

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>
#include <nexusfix/wire/typed_write.hpp>
