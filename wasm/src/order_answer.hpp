// The life of an order in a log, as `nexusfix order` prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::browser {

struct OrderQuestion {
  std::string_view log{};   // all bytes
  std::string_view id{};    // a ClOrdID, OrigClOrdID, OrderID, ExecID or ExecRefID
  std::string_view name{};  // of the log
  bool is_json = false;     // as `nexusfix order --json`
};

// Empty: no order has the identifier. Takes several passes over the log.
[[nodiscard]] std::string answer_order(const OrderQuestion& question);

}  // namespace nexusfix::browser
