// Reads the fields of orders, in every FIX version alike.
#pragma once

#include <optional>
#include <string_view>

#include <nexusfix/engine.hpp>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

// BusinessRejectReason (380).
inline constexpr unsigned kOtherReason = 0;
inline constexpr unsigned kUnknownId = 1;
inline constexpr unsigned kApplicationNotAvailable = 4;
inline constexpr unsigned kConditionallyRequiredFieldMissing = 5;

// The answer to a message of orders (D, F, G and others) that lacks a field which FIX requires of
// its type, or has an ID or a Symbol above 64 bytes: a Reject, which does not repeat the text.
[[nodiscard]] std::optional<engine::MessageReply> refuse_malformed(
    const wire::MessageView& message);

// A fault of an order that is correct for the session: the text of an ExecutionReport. If reply
// has a value, the answer is a Reject instead.
struct OrderFault {
  std::optional<engine::MessageReply> reply;
  std::string_view text;
};

// The message has passed refuse_malformed(). The texts of order live as long as the message.
[[nodiscard]] std::optional<OrderFault> read_terms(const wire::MessageView& message,
                                                   NewOrder& order);
[[nodiscard]] std::optional<OrderFault> read_lifetime(const wire::MessageView& message,
                                                      NewOrder& order);

}  // namespace nexusfix::venue
