#include "console/site/event_ring.hpp"

#include <algorithm>

namespace nexusfix::web {

void EventRing::write(const observe::Event& event) {
  if (event.id == EventId::ConfigurationReloaded) ++reloads_;
  KeptEvent kept{.number = 0,
                 .time = event.time,
                 .id = event.id,
                 .session = std::string{event.session},
                 .text = std::string{event.text.substr(0, kTextBytesMax)}};
  const std::lock_guard lock{mutex_};
  kept.number = ++last_;
  events_.push_back(std::move(kept));
  if (events_.size() > kEventsMax) events_.pop_front();
}

std::vector<KeptEvent> EventRing::after(std::uint64_t number, std::size_t count) const {
  const std::lock_guard lock{mutex_};
  if (number > last_) number = 0;  // of an earlier run of the engine
  const auto first = std::ranges::upper_bound(events_, number, {}, &KeptEvent::number);
  const auto left = static_cast<std::size_t>(events_.end() - first);
  return {first + static_cast<std::ptrdiff_t>(left - std::min(left, count)), events_.end()};
}

}  // namespace nexusfix::web
