// The table of the keys that the engine honours, and how a key is found by its name.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <ranges>
#include <string_view>

#include "config/keys/connection_keys.hpp"
#include "config/keys/key_row.hpp"
#include "config/keys/log_keys.hpp"
#include "config/keys/part_keys.hpp"
#include "config/keys/session_keys.hpp"
#include "config/keys/store_keys.hpp"
#include "config/keys/tls_keys.hpp"

namespace nexusfix::config {

// The rows of one group, and of several.
template <std::size_t Count>
consteval std::array<KeyRow, Count> group(std::string_view name, const KeyRow (&rows)[Count],
                                          Shared sharing = Shared::No) {
  std::array<KeyRow, Count> all = std::to_array(rows);
  for (KeyRow& row : all) {
    row.group = name;
    if (row.sets.sharing == Shared::No) row.sets.sharing = sharing;
  }
  return all;
}
template <std::size_t... Counts>
consteval auto joined(const std::array<KeyRow, Counts>&... groups) {
  std::array<KeyRow, (Counts + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& rows) {
    for (const KeyRow& row : rows) all[next++] = row;
  };
  (append(groups), ...);
  return all;
}

// In the order in which a configuration is read best, and in which the values are set: of two keys
// for one member the later one counts.
inline constexpr auto kKeyRows = joined(
    group("identity", keys::kIdentity), group("connection", keys::kConnection),
    group("threads", keys::kThreads), group("TLS", keys::kTls), group("schedule", keys::kSchedule),
    group("logon and timers", keys::kLogonAndTimers),
    group("sequence numbers", keys::kSequenceNumbers), group("resends", keys::kResends),
    group("what is checked", keys::kChecks), group("what is sent", keys::kSending),
    group("store", keys::kStore, Shared::Store), group("cluster", keys::kCluster, Shared::Store),
    group("log", keys::kLog), group("web", keys::kWeb, Shared::Web), group("file", keys::kFile));

// A honoured key, by its place in the table. Code names it as the file does, in its usual spelling:
// keys.find("HeartBtInt"). A name that is not in the table does not compile.
class Key {
 public:
  constexpr Key() = default;  // none
  explicit(false) consteval Key(const char* name) : index_{0} {
    while (kKeyRows.at(index_).name != name) ++index_;
  }
  static constexpr Key at(std::size_t index) noexcept {
    Key key;
    key.index_ = index;
    return key;
  }

  [[nodiscard]] constexpr bool is_none() const noexcept { return index_ == kKeyRows.size(); }
  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  [[nodiscard]] constexpr const KeyRow& row() const noexcept { return kKeyRows[index_]; }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return row().name; }
  friend constexpr auto operator<=>(Key, Key) = default;

 private:
  std::size_t index_ = kKeyRows.size();
};

// Every key, in the order of the table.
constexpr auto all_keys() noexcept {
  return std::views::iota(std::size_t{0}, kKeyRows.size()) | std::views::transform(Key::at);
}

}  // namespace nexusfix::config
