#include "bench/traffic/inputs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bench/messages/messages.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::uint64_t kSeed = 53;
constexpr auto kReports = {FlowKind::Report, FlowKind::Fill};

Messages messages_of(const std::vector<FlowMessage>& flow) {
  Messages messages;
  for (const FlowMessage& one : flow) {
    messages.texts.push_back(one.text());
    const std::string& text = messages.texts.back();
    messages.field_counts.push_back(
        static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\x01')));
    messages.mean_bytes += static_cast<double>(text.size()) / static_cast<double>(flow.size());
  }
  return messages;
}

std::uint64_t answer_of(const PriceValue& price) {
  std::uint64_t units = static_cast<std::uint64_t>(price.mantissa);
  for (int scale = price.scale; scale < kAnswerScale; ++scale) units *= 10;
  return units;
}

// Answer: of a fill.
template <class Answer>
ReadJob read_job_of(Answer answer) {
  const std::vector<FlowMessage> flow =
      flow_of({FlowKind::Fill}, kFlowInputs, FlowTimes::Milliseconds);
  ReadJob job;
  job.messages = messages_of(flow);
  for (const FlowMessage& one : flow) job.answers.push_back(answer(one));
  return job;
}

std::uint64_t millisecond_of(const FlowMessage& message) {
  return static_cast<std::uint64_t>(message.transact_time_ms % 1'000);
}

}  // namespace

std::vector<FlowMessage> flow_of(std::initializer_list<FlowKind> kinds, std::size_t count,
                                 FlowTimes times) {
  OrderFlow flow{kSeed, times};
  std::vector<FlowMessage> messages;
  while (messages.size() < count) {
    FlowMessage one = flow.next();
    if (std::ranges::find(kinds, one.kind) != kinds.end()) messages.push_back(std::move(one));
  }
  return messages;
}

Messages flow_messages() {
  return messages_of(flow_of({FlowKind::Order, FlowKind::Replace, FlowKind::Cancel,
                              FlowKind::Report, FlowKind::Fill, FlowKind::Reject},
                             kFlowInputs));
}

Messages flow_orders() { return messages_of(flow_of({FlowKind::Order}, kFlowInputs)); }

Messages flow_execution_reports() { return messages_of(flow_of(kReports, kFlowInputs)); }

ReadJob flow_read_job() {
  return read_job_of([](const FlowMessage& one) {
    return one.fill.order_id.size() + static_cast<std::uint64_t>(one.fill.last_qty) +
           answer_of(one.fill.last_px) + millisecond_of(one);
  });
}

ReadJob flow_typed_read_job() {
  return read_job_of([](const FlowMessage& one) {
    const FlowFill& fill = one.fill;
    return fill.order_id.size() + fill.exec_id.size() + one.order.symbol.size() +
           static_cast<std::uint64_t>('F' + fill.ord_status + one.order.side + fill.leaves_qty +
                                      fill.cum_qty + fill.last_qty) +
           answer_of(fill.avg_px) + answer_of(fill.last_px) + millisecond_of(one);
  });
}

std::vector<DeskOrder> desk_orders() {
  std::vector<DeskOrder> orders;
  for (FlowMessage& one : flow_of({FlowKind::Order}, kFlowInputs)) {
    orders.push_back(std::move(one.order));
  }
  return orders;
}

std::vector<DeskOrder> one_shape_desk_orders() {
  constexpr std::uint64_t kFirst = 10'000'000;
  constexpr std::int64_t kQuantity = 100;
  std::vector<DeskOrder> orders(kRotation);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    orders[i].cl_ord_id = std::to_string(kFirst + i);
    orders[i].symbol = "AAPL";
    orders[i].order_qty = kQuantity;
    orders[i].price = {15'025, 2, 150.25};
  }
  return orders;
}

}  // namespace nexusfix::bench
