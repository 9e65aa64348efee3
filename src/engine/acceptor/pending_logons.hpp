// The connections of one port that have not logged on yet, and whose they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// Keeps whoever floods a port from taking the places of others. Neither session nor established
// connection is ever among them.
class PendingLogons {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;

    // Takes the larger ones; there 0 is no limit, as in a configuration.
    void widen(const Limits& other) noexcept;
  };

  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };
  struct Place {
    Answer answer = Answer::Yes;
    std::optional<transport::SocketId> displaced{};  // Yes: has to go for it
  };

  // Whether there is a place for one more. When there are all_max, the source that has most gives
  // up its oldest one, unless it has no more than this source would have then.
  [[nodiscard]] Place ask(transport::Source source, const Limits& limits) const noexcept;
  // The oldest of the source that has most, if that has more than one.
  [[nodiscard]] std::optional<transport::SocketId> oldest_of_most() const noexcept;
  void add(transport::Source source, transport::SocketId socket);
  void remove(transport::Source source, transport::SocketId socket) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  // Oldest first; none is empty. What is displaced is looked for in all of them: no more than
  // all_max, and only as long as one source has more than its share.
  std::map<transport::Source, std::vector<transport::SocketId>> sources_;
  std::size_t size_ = 0;
};

}  // namespace nexusfix::engine
