// The connections of one port that have not logged on yet, by their source addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// Keeps a client that floods a port from taking the places of other clients. No connection that has
// logged on is among them.
class PendingLogons {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;

    // Takes the larger limit of each kind. In `other`, 0 means no limit, as in a configuration.
    void widen(const Limits& other) noexcept;
  };

  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };
  struct Place {
    Answer answer = Answer::Yes;
    std::optional<transport::SocketId> displaced{};  // Yes: the connection to close for it
  };

  // Whether one more connection may wait. If all_max wait already, the source that has most loses
  // its oldest one, unless it has at most as many as this source would then have.
  [[nodiscard]] Place ask(transport::Source source, const Limits& limits) const noexcept;
  // The oldest connection of the source that has most; nullopt: no source has more than one.
  [[nodiscard]] std::optional<transport::SocketId> oldest_of_most() const noexcept;
  void add(transport::Source source, transport::SocketId socket);
  void remove(transport::Source source, transport::SocketId socket) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  // Oldest first; no entry is empty. ask() searches all sources for one to displace: at most
  // all_max, and only while one source has more than its share.
  std::map<transport::Source, std::vector<transport::SocketId>> sources_;
  std::size_t size_ = 0;
};

}  // namespace nexusfix::engine
