// What two texts of a configuration say of one session, compared key by key, and a session built of
// the keys of several texts: a reload takes some over at once, others with the next Logon.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/config/settings.hpp>

namespace nexusfix::config {

// A text without mistakes, and its sessions by their names.
class FileKeys {
 public:
  using Text = std::shared_ptr<const std::string>;

  explicit FileKeys(Text text);
  ~FileKeys();
  FileKeys(FileKeys&&) noexcept;
  FileKeys& operator=(FileKeys&&) noexcept;
  [[nodiscard]] const Text& text() const noexcept { return text_; }

  [[nodiscard]] bool has(std::string_view session) const;

  class Read;  // of the layer alone
  [[nodiscard]] const Read& read() const noexcept { return *read_; }

 private:
  Text text_;
  std::unique_ptr<const Read> read_;
};

// Names of keys, by when another value of them counts.
struct ChangedKeys {
  std::vector<std::string> at_once;
  std::vector<std::string> at_logon;
  std::vector<std::string> at_start;
  [[nodiscard]] bool empty() const noexcept {
    return at_once.empty() && at_logon.empty() && at_start.empty();
  }
};

// By TakesEffect: whose value of a key counts.
struct KeySources {
  const FileKeys* start = nullptr;
  const FileKeys* logon = nullptr;
  const FileKeys* now = nullptr;
};

// Where the values that count differ from those of a text.
[[nodiscard]] ChangedKeys changed_keys(const KeySources& counting, const FileKeys& text,
                                       std::string_view session);

// The session, or the template, of this name, without what is read of files: its timetable,
// dictionaries and certificates. Nothing: it is not in all of them, or keys of different texts do
// not go together.
[[nodiscard]] std::optional<SessionSettings> session_of(const KeySources& sources,
                                                        std::string_view session);
// From the same session as another text, or the engine, has it.
void copy_parts_from_files(SessionSettings& session, const SessionSettings& source);

// "HeartBtInt, MaxLatency"
[[nodiscard]] std::string joined_keys(const std::vector<std::string>& keys);

}  // namespace nexusfix::config
