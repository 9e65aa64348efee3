// Limits the number of sessions that are made from templates, by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/transport/network.hpp>

#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

// A name that the store does not know takes a place at its first Logon attempt. After a successful
// Logon it keeps the place for good. Until then it is on trial: the store has nothing of it, and
// this class keeps its sequence numbers. While a name on trial is not connected, another name may
// take its place: first the oldest of the address that has the most such names. The caller does not
// ask for names that the store knows.
class DynamicNames {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;
  };
  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };

  explicit DynamicNames(Limits limits) : limits_{limits} {}

  // Takes a place for a name that connects, if there is one. A connected name on trial counts for
  // the source of its present connection.
  [[nodiscard]] Answer connect(std::string_view name, transport::Source source);
  // The sequence numbers after its earlier connections. The name must have a place.
  [[nodiscard]] session::Numbers numbers(std::string_view name) const;
  // The session has logged on and is stored. No allocation.
  void keep(std::string_view name) noexcept;
  // The connection has ended, or was bound to no session. Unless keep() was called, the name may be
  // displaced from now on. numbers: nullopt leaves them unchanged. No allocation.
  void disconnect(std::string_view name, std::optional<session::Numbers> numbers) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

 private:
  enum class State : std::uint8_t { Idle, Connected, Kept };
  struct Name;
  using Names = std::map<std::string, Name, std::less<>>;
  using Listed = std::list<Names::iterator>;
  struct Name {
    State state = State::Idle;
    transport::Source source = 0;
    session::Numbers numbers{};
    Listed::iterator place{};  // in one of the lists of its source
  };
  struct OfSource {
    Listed idle;   // on trial and not connected; oldest first
    Listed fixed;  // connected or kept
  };
  using Sources = std::map<transport::Source, OfSource>;  // no entry is empty

  void displace_one();
  void drop_if_empty(transport::Source source) noexcept;

  Limits limits_;
  Names names_;
  Sources sources_;
  std::size_t idle_ = 0;  // number of idle names of all sources
};

}  // namespace nexusfix::engine
