// The fields of a parsed message that decide whose it is.
#pragma once

#include <nexusfix/wire/message_view.hpp>

#include "gateway/rights/client_rights.hpp"
#include "gateway/rights/message_fields.hpp"

namespace nexusfix::gateway {

inline constexpr wire::Tag kAccount = 1;
inline constexpr wire::Tag kClOrdId = 11;
inline constexpr wire::Tag kOrigClOrdId = 41;
inline constexpr wire::Tag kSymbol = 55;

// Views of the message.
[[nodiscard]] OwnerFields owner_fields(const wire::MessageView& message) noexcept;
// Views of the text that was read.
[[nodiscard]] OwnerFields owner_fields(const MessageFields& message) noexcept;

}  // namespace nexusfix::gateway
