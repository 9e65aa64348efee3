// Messages of orders as spans of OpenTelemetry, in the JSON encoding of OTLP.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "logs/fields/message_fields.hpp"
#include "stream/broker.hpp"

namespace nexusfix::stream {

// 16 and 8 bytes, in hexadecimal.
struct TraceIds {
  std::string trace;
  std::string order;  // the span of the message that asks for the order
};
// The first 16 bytes of SHA-256 over the name of the session, SOH, the epoch in decimal, SOH and
// ClOrdID, and the next 8. So other systems compute the trace of an order, too.
[[nodiscard]] TraceIds trace_of(std::string_view session, std::string_view epoch,
                                std::string_view cl_ord_id);

// One thread. The ids depend on nothing but the message and its place in the log: what is sent
// again after a crash is the same span.
class OrderSpans {
 public:
  // A report of an order that is older begins at its own time.
  static constexpr std::size_t kOrdersMax = 100'000;

  // Appends a span, if the message is one of an order: NewOrderSingle, OrderCancelRequest,
  // OrderCancelReplaceRequest, ExecutionReport or OrderCancelReject with a ClOrdID, or a
  // BusinessMessageReject of such a request by its BusinessRejectRefID. The value of the record is
  // its bytes.
  //
  // The record of a report may stand before that of its request: the engine writes what a callback
  // sends first, and what it received last. Both are one transaction, and have one time. So a
  // report whose request was not seen begins at its own time, and nothing waits.
  void append(std::string& to, const Outgoing& record);

 private:
  [[nodiscard]] std::string_view begin_of(const std::string& trace, std::string_view time) const;
  void keep(const std::string& trace, std::string_view time);

  logs::MessageFields fields_;
  std::unordered_map<std::string, std::string> begins_;  // ns since 1970, by trace
  std::deque<std::string> oldest_;                       // of these traces
};

}  // namespace nexusfix::stream
