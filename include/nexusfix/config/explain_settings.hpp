// A configuration explained: every key that is honoured, what each session got for it, and from
// which line. Cold; one thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/config/settings.hpp>

namespace nexusfix::config {

// Static lifetime.
struct KeyDescription {
  std::string_view group;  // "connection": keys of one group follow each other
  std::string_view name;
  std::string_view fallback;  // the value without the key; empty: none, or the key is required
  std::string_view meaning;   // half a sentence
  // What another engine does by default; empty: the same, or it has no such key.
  std::string_view elsewhere;
  bool is_secret = false;  // its value is never shown
};

// In the order in which a configuration is best read.
[[nodiscard]] std::span<const KeyDescription> described_keys() noexcept;

struct EffectiveValue {
  const KeyDescription* key = nullptr;
  std::string value;           // "..." for a secret
  std::size_t line = 0;        // 0: not in the file, value is the fallback
  bool is_of_default = false;  // from [DEFAULT]
  // As the file has it, with variables of the environment; "..." for a secret. Empty: without.
  std::string written{};
  // Not in the file, and what it says of another key has this value all the same; empty: not so.
  std::string because{};  // "ServerCertificateFile in line 7"
  // Of a key that may be given several times: "SocketConnectHost1"; empty: the key's own.
  std::string numbered{};
};

struct ExplainedSession {
  std::string name;
  std::size_t line = 0;                // of its [SESSION]
  std::vector<EffectiveValue> values;  // one for each described key at least
  // Of the program's own (ApplicationKeys), whose values are never shown.
  struct ApplicationKey {
    std::string name;
    std::size_t line = 0;
  };
  std::vector<ApplicationKey> application_keys{};
};

struct ExplainedSettings {
  Settings settings;
  std::vector<ExplainedSession> sessions;  // in the order of settings.sessions
};

// As load_settings(), and why.
[[nodiscard]] std::expected<ExplainedSettings, SettingsErrors> explain_settings(
    Disk& disk, const std::string& path);

}  // namespace nexusfix::config
