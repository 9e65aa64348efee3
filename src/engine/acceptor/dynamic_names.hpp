// The names of sessions that are made of templates: which of them has a place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/transport/address_range.hpp>

namespace nexusfix::engine {

// A name that the store does not know has a place from its first Logon on. It keeps it for good
// once it has logged on. Until then it is on trial: nothing of it is stored, what it has used of
// sequence numbers is remembered here, and between two of its connections it gives its place up to
// another name, first the oldest of the address that has most such names. Names that are stored
// already are never asked for.
class DynamicNames {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;
  };
  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };

  explicit DynamicNames(Limits limits) : limits_{limits} {}

  // Takes a place for a name that connects, if there is one for it. A name on trial that is
  // connected counts for the source that it comes from now.
  [[nodiscard]] Answer connect(std::string_view name, transport::Source source);
  // What it has used on its earlier connections. It has a place.
  [[nodiscard]] session::Numbers numbers(std::string_view name) const;
  // It has logged on, and is stored. No allocation.
  void keep(std::string_view name) noexcept;
  // Its connection has ended, or came to no session. One that was not kept may be displaced from
  // now on. numbers: nothing: as before. No allocation.
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
  using Sources = std::map<transport::Source, OfSource>;  // none of them is empty

  void displace_one();
  void drop_if_empty(transport::Source source) noexcept;

  Limits limits_;
  Names names_;
  Sources sources_;
  std::size_t idle_ = 0;  // of all sources
};

}  // namespace nexusfix::engine
