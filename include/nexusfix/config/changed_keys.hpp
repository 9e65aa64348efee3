// Two texts of a configuration, compared key by key for one session; and a session that is built
// from the keys of several texts. A reload applies some keys at once and others with the next
// Logon. Cold: everything allocates. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/config/settings.hpp>

namespace nexusfix::config {

// A text that parse_settings() accepts, and its sessions by their names, such as
// "FIX.4.4:TRADER->VENUE" or, of a template, "FIX.4.4:VENUE->*". Shares the text.
class FileKeys {
 public:
  using Text = std::shared_ptr<const std::string>;

  explicit FileKeys(Text text);
  ~FileKeys();
  FileKeys(FileKeys&&) noexcept;
  FileKeys& operator=(FileKeys&&) noexcept;
  [[nodiscard]] const Text& text() const noexcept { return text_; }

  [[nodiscard]] bool has(std::string_view session) const;

  class Read;  // private to the layer
  [[nodiscard]] const Read& read() const noexcept { return *read_; }

 private:
  Text text_;
  std::unique_ptr<const Read> read_;
};

// Names of keys, by the time at which their new value takes effect.
struct ChangedKeys {
  std::vector<std::string> at_once;
  std::vector<std::string> at_logon;
  std::vector<std::string> at_start;
  [[nodiscard]] bool empty() const noexcept {
    return at_once.empty() && at_logon.empty() && at_start.empty();
  }
};

// The text whose value of a key is in effect, by the time at which the key takes effect. None is
// null, and each must outlive the call.
struct KeySources {
  const FileKeys* start = nullptr;
  const FileKeys* logon = nullptr;
  const FileKeys* now = nullptr;
};

// The keys of the session whose value in effect differs from the text's. Empty if the text has no
// such session.
[[nodiscard]] ChangedKeys changed_keys(const KeySources& in_effect, const FileKeys& text,
                                       std::string_view session);

// Builds the session, or the template, of this name, without the parts that are read from files:
// its schedule, dictionaries and certificates. Unset: not every text has it, or the keys of
// different texts conflict.
[[nodiscard]] std::optional<SessionSettings> session_of(const KeySources& sources,
                                                        std::string_view session);
// Copies those parts from the same session of another text or of the engine.
void copy_parts_from_files(SessionSettings& session, const SessionSettings& source);

// "HeartBtInt, MaxLatency"
[[nodiscard]] std::string joined_keys(const std::vector<std::string>& keys);

}  // namespace nexusfix::config
