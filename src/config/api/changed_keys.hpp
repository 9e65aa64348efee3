// Two texts of a configuration, compared key by key for one session; and a session that is built
// from the keys of several texts. A reload applies some keys at once and others with the next
// Logon. Cold: everything allocates. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// A text that parse_settings() accepts, and its sessions by their names, such as
// "FIX.4.4:TRADER->VENUE" or, of a template, "FIX.4.4:VENUE->*". Shares the text.
class FileKeys {
 public:
  // The text of a whole file; never null.
  using Text = std::shared_ptr<const std::string>;

  // Reads the keys of a text, which parse_settings() must have accepted.
  explicit FileKeys(Text text);
  ~FileKeys();
  // The moved-from object can only be destroyed or assigned to.
  FileKeys(FileKeys&&) noexcept;
  // As the move constructor.
  FileKeys& operator=(FileKeys&&) noexcept;
  // The text of the constructor. Valid as long as this object.
  [[nodiscard]] const Text& text() const noexcept { return text_; }

  // Whether the text has a session, or a template, of this name.
  [[nodiscard]] bool has(std::string_view session) const;

  // The keys in memory. Private to the layer.
  class Read;
  // For the layer. Valid as long as this object.
  [[nodiscard]] const Read& read() const noexcept { return *read_; }

 private:
  Text text_;
  std::unique_ptr<const Read> read_;
};

// Names of keys, by the time at which their new value takes effect.
struct ChangedKeys {
  std::vector<std::string> at_once;   // with the reload itself
  std::vector<std::string> at_logon;  // with the session's next Logon; at once without a connection
  std::vector<std::string> at_start;  // with the next start of the program
  // Whether no key has changed.
  [[nodiscard]] bool empty() const noexcept {
    return at_once.empty() && at_logon.empty() && at_start.empty();
  }
};

// The text whose value of a key is in effect, by the time at which the key takes effect. None may
// be null, and each must outlive the call.
struct KeySources {
  const FileKeys* start = nullptr;  // of keys that take effect with a start of the program
  const FileKeys* logon = nullptr;  // of keys that take effect with a Logon
  const FileKeys* now = nullptr;    // of keys that take effect at once
};

// The keys of the session whose value in effect differs from the text's. Empty if the text has no
// such session.
[[nodiscard]] ChangedKeys changed_keys(const KeySources& in_effect, const FileKeys& text,
                                       std::string_view session);

// Builds the session, or the template, of this name, without the parts that are read from files:
// its schedule, dictionaries and certificates. No value: not every text has it, or the keys of
// different texts conflict.
[[nodiscard]] std::optional<SessionSettings> session_of(const KeySources& sources,
                                                        std::string_view session);
// Copies the parts that are read from files (schedule, dictionaries, certificates) from the same
// session of another text or of the engine.
void copy_parts_from_files(SessionSettings& session, const SessionSettings& source);

// The names in one line: "HeartBtInt, MaxLatency".
[[nodiscard]] std::string joined_keys(const std::vector<std::string>& keys);

}  // namespace nexusfix::config
