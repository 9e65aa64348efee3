// A configuration explained: every honoured key, its value in each session, and the line of the
// value. Cold: everything allocates. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// Other engines that read a configuration of this form.
struct Dialects {
  bool quickfix = false;    // the one in C++
  bool quickfixj = false;   // QuickFIX/J
  bool quickfixgo = false;  // QuickFIX/Go
  bool quickfixn = false;   // QuickFIX/n

  // The engines of either.
  friend constexpr Dialects operator|(Dialects a, Dialects b) {
    return {.quickfix = a.quickfix || b.quickfix,
            .quickfixj = a.quickfixj || b.quickfixj,
            .quickfixgo = a.quickfixgo || b.quickfixgo,
            .quickfixn = a.quickfixn || b.quickfixn};
  }
  // Whether both name the same engines.
  bool operator==(const Dialects&) const = default;
};

// One honoured key. All views have static lifetime.
struct KeyDescription {
  std::string_view group;     // "connection": keys of one group follow each other
  std::string_view name;      // as in the file: "HeartBtInt"
  std::string_view fallback;  // the value without the key; empty: none, or the key is required
  std::string_view example;   // a valid value
  std::string_view meaning;   // what the key sets, in half a sentence
  // The default of another engine; empty: the same, or it has no such key.
  std::string_view elsewhere;
  Dialects dialects;          // the engines that know the key by this name
  std::string_view same_as;   // the key that this one is another name of; empty: none
  bool is_secret = false;     // its value is never shown
  std::string_view type;      // "number", "flag", "path": a word
  std::string_view expected;  // the values that it takes; of a number, without its range
  // The range of a number, or of the bytes of a text. Both are 0: the key takes neither.
  std::uint64_t least = 0;
  std::uint64_t most = 0;         // the end of the range, inclusive
  std::string_view unit;          // of the range; empty: none
  bool is_numbered = false;       // may be given several times: SocketConnectHost1, ...
  std::string_view takes_effect;  // when a reload applies a changed value: "at once"
};

// Every key once, grouped, in the order in which a configuration is best read. Static lifetime.
[[nodiscard]] std::span<const KeyDescription> described_keys() noexcept;

// A key that an earlier version honoured: "MaxHeldBytes was removed: messages after a gap are held,
// up to a quarter of MaxQueuedBytes". name: in any case. Empty: no such key was removed.
[[nodiscard]] std::string describe_removed_key(std::string_view name);

// The value of one key in one session.
struct EffectiveValue {
  const KeyDescription* key = nullptr;  // never null; static lifetime
  std::string value;                    // "..." for a secret
  std::size_t line = 0;        // of the value, 1-based; 0: not in the file, value is the fallback
  bool is_of_default = false;  // from [DEFAULT]
  // The value in the file, with variables of the environment; "..." for a secret. Empty: no
  // variable.
  std::string written{};
  // The key that implies this value, which is not in the file: "ServerCertificateFile in line 7".
  // Empty: none.
  std::string because{};
  // The name of a key that may be given several times: "SocketConnectHost1". Empty: key->name.
  std::string numbered{};
};

// The values of one [SESSION], with those of [DEFAULT].
struct ExplainedSession {
  std::string name;                    // "FIX.4.4:VENUE->TRADER"
  std::size_t line = 0;                // of its [SESSION], 1-based
  std::vector<EffectiveValue> values;  // at least one for each described key
  // One of the application's own keys (ApplicationKeys). Its value is never shown.
  struct ApplicationKey {
    std::string name;      // as in the file
    std::size_t line = 0;  // of its value, 1-based
  };
  std::vector<ApplicationKey> application_keys{};  // those that the session has
};

// A whole configuration, explained.
struct ExplainedSettings {
  Settings settings;                       // as load_settings() returns them
  std::vector<ExplainedSession> sessions;  // in the order of settings.sessions
};

// Reads the file as load_settings() does, with the same errors, and explains its values.
[[nodiscard]] std::expected<ExplainedSettings, SettingsErrors> explain_settings(
    Disk& disk, const std::string& path);

}  // namespace nexusfix::config
