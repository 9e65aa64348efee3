// An order's life for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "logs/order/order_life.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::logs {

struct OrderStory {
  std::string session;  // "TRADER and VENUE"
  std::vector<OrderEvent> events;
  OrderLife life;
};

// own: names that come before the built-in ones; may be null.
[[nodiscard]] std::string story_text(const OrderStory& story, const dictionary::NameTable* own);
[[nodiscard]] command::Json story_json(const OrderStory& story, const dictionary::NameTable* own);

}  // namespace nexusfix::logs
