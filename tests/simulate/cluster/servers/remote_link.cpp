#include "servers/remote_link.hpp"

#include <chrono>
#include <utility>

namespace nexusfix::simulator::cluster {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t kDelayMicrosMin = 50;
constexpr std::uint64_t kDelayMicros = 350;
// One message of this number is late.
constexpr std::uint64_t kLateEvery = 128;
constexpr std::uint64_t kLateMicros = 60'000;

}  // namespace

void RemoteLink::send(std::size_t node, std::function<void()> arrives) {
  SeededRandom& random = context_.random;
  std::uint64_t micros = kDelayMicrosMin + random.below(kDelayMicros);
  if (random.below(kLateEvery) == 0) micros += random.below(kLateMicros);
  context_.agenda.after(microseconds{micros}, [this, node, arrives = std::move(arrives)]() mutable {
    deliver(node, std::move(arrives));
  });
}

void RemoteLink::deliver(std::size_t node, std::function<void()> arrives) {
  if (!cut_[node]) return arrives();
  if (context_.random.below(2) == 0) held_.push_back({node, std::move(arrives)});
}

void RemoteLink::mend(std::size_t node) {
  cut_[node] = false;
  std::vector<Held> left;
  for (Held& one : std::exchange(held_, {})) {
    if (one.node == node) {
      send(node, std::move(one.arrives));
    } else {
      left.push_back(std::move(one));
    }
  }
  for (Held& one : left) held_.push_back(std::move(one));
}

}  // namespace nexusfix::simulator::cluster
