#include "logs/order/order_stories.hpp"

#include "logs/source/log_time.hpp"

namespace nexusfix::logs {
namespace {

// An order with more messages than these is shown without the later ones.
constexpr std::size_t kEventsMax = 100'000;
constexpr std::size_t kEventBytesMax = 64U << 20U;
constexpr int kPassesMax = 100;

}  // namespace

void OrderStories::begin_pass() {
  events_.clear();
  copies_.clear();
  chains_.begin_pass();
  event_bytes_ = 0;
  is_full_ = false;
  ++passes_;
}

bool OrderStories::needs_another_pass() const noexcept {
  return chains_.has_grown() && passes_ < kPassesMax;
}

void OrderStories::take(const LogMessage& message) {
  // Most messages are decided without their fields.
  fields_.read(message.bytes);
  const LinkedOrder* const order = chains_.take(fields_);
  if (order == nullptr) return;
  const auto time = time_of_message(message);
  std::vector<OrderEvent>& events = events_[order];
  const auto [copy, is_new] = copies_.try_emplace(std::string{message.bytes}, order, events.size());
  if (!is_new) {
    OrderEvent& event = events_[copy->second.first][copy->second.second];
    if (event.file != message.path && !event.other_time) event.other_time = time;
    return;
  }
  event_bytes_ += 2 * message.bytes.size();
  if (events.size() == kEventsMax || event_bytes_ > kEventBytesMax) {
    is_full_ = true;
    copies_.erase(copy);
    return;
  }
  events.push_back({.time = time,
                    .file = std::string{message.path},
                    .offset = message.offset,
                    .sender = std::string{fields_.value(49)},
                    .target = std::string{fields_.value(56)},
                    .msg_type = std::string{fields_.value(35)},
                    .bytes = std::string{message.bytes}});
}

std::vector<OrderStory> OrderStories::finish() {
  std::vector<OrderStory> stories;
  for (auto& [order, events] : events_) {
    if (!order->is_wanted || events.empty()) continue;
    OrderStory& story =
        stories.emplace_back(OrderStory{std::string{order->session}, std::move(events), {}});
    for (OrderEvent& event : story.events) story.life.add(event);
  }
  return stories;
}

}  // namespace nexusfix::logs
