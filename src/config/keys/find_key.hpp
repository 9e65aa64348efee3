// Finds the key that a name in a file stands for: one of the table, one of another engine, or the
// one that was most likely meant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/keys/key_table.hpp"

namespace nexusfix::config {

enum class Handling : std::uint8_t {
  Honoured,
  Instead,  // accepted, with a warning that says what is done instead
  // An earlier version honoured it: a warning says what holds now. If there are harmless values,
  // any other one is refused, because the engine would not do what was asked.
  Removed,
  Refused,  // asks for security that does not exist here: the engine does not start in plain text
};

struct KeyRule {
  std::string_view name;
  Handling handling = Handling::Instead;
  Key key{};                  // of a honoured key
  std::string_view instead;   // what is done instead, or what is missing
  std::string_view harmless;  // values between blanks that ask for what is done anyway
};

// Whether the key can never be the application's own.
[[nodiscard]] constexpr bool is_ours(const KeyRule& rule) noexcept {
  return rule.handling == Handling::Honoured || rule.handling == Handling::Refused;
}

struct KeyMatch {
  const KeyRule* rule = nullptr;  // null: unknown
  // The <n> of SocketConnectHost<n>; the ApplVerID (1128) of AppDataDictionary.<version>.
  unsigned number = 0;
  bool unknown_version = false;  // the version of AppDataDictionary.<version> does not exist
  bool odd_case = false;         // not in the usual spelling
};

inline constexpr unsigned kKeyNumberMax = 99;

// Finds a key in any case.
[[nodiscard]] KeyMatch find_key(std::string_view name);

// The keys that earlier versions honoured, in any order.
[[nodiscard]] std::vector<KeyRule> removed_keys();

// The key that an unknown one most likely means; null: none is near.
[[nodiscard]] const KeyRule* nearest_key(std::string_view name);
// Whether a honoured or a refused key has this prefix, in any case.
[[nodiscard]] bool has_key_beginning_with(std::string_view prefix);
// Whether an unknown key may name the store's folder, such as StoreFolder.
[[nodiscard]] bool sounds_like_store_folder(std::string_view name);
// Whether an unknown key may ask for encryption, certificates or a proxy.
[[nodiscard]] bool sounds_like_security(std::string_view name);

// Whether a session without TLS must not have the key. A certificate can be compared only with TLS,
// but build_certificates() reports that in its own words.
[[nodiscard]] constexpr bool is_of_tls(Key key) noexcept {
  return !key.is_none() && key.row().group == "TLS" && key != "AllowedCertificates";
}

}  // namespace nexusfix::config
