// The standing of an address, or of a CompID with its address, by the last password in its Logons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include <nexusfix/transport/address_range.hpp>

namespace nexusfix::engine {

// The smaller value is the better standing.
enum class Standing : std::uint8_t { Trusted, Unknown, Failing };

template <class Source>
class StandingsOf {
 public:
  // At most this number of sources is kept. Beyond it, the source that came first is forgotten.
  // Each source has cost a hash, so a client needs hours to displace another one.
  static constexpr std::size_t kSourcesMax = 100'000;

  [[nodiscard]] Standing of(const Source& source) const {
    const auto found = standings_.find(source);
    return found == standings_.end() ? Standing::Unknown : found->second;
  }
  // The last checked password decides.
  void note(const Source& source, bool was_right) {
    const Standing standing = was_right ? Standing::Trusted : Standing::Failing;
    if (const auto found = standings_.find(source); found != standings_.end()) {
      found->second = standing;
      return;
    }
    if (order_.size() == kSourcesMax) {
      standings_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(source);
    standings_.emplace(source, standing);
  }
  [[nodiscard]] std::size_t size() const noexcept { return standings_.size(); }

 private:
  std::unordered_map<Source, Standing> standings_;
  std::deque<Source> order_;
};

using LogonReputation = StandingsOf<transport::Source>;
using PairStandings = StandingsOf<std::string>;

}  // namespace nexusfix::engine
