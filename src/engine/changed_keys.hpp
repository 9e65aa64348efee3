// What two texts of a configuration say of one session, compared key by key, and a session built of
// the keys of several texts: a reload takes some over at once, others with the next Logon.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/settings.hpp>

#include "engine/settings_file.hpp"

namespace nexusfix::engine {

// A text without mistakes, and its sessions by their names.
class FileKeys {
 public:
  using Text = std::shared_ptr<const std::string>;

  explicit FileKeys(Text text);
  FileKeys(FileKeys&&) = default;  // What is read points into the texts, which move along.
  FileKeys& operator=(FileKeys&&) = default;
  [[nodiscard]] const Text& text() const noexcept { return text_; }
  // That of a template has its name: "FIX.4.4:VENUE->*". Null: there is none.
  [[nodiscard]] const Section* find(std::string_view session) const;
  [[nodiscard]] const Section& defaults() const noexcept { return sections_.defaults; }

 private:
  Text text_;
  Sections sections_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
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
void give_what_was_read(SessionSettings& session, const SessionSettings& source);

// "HeartBtInt, MaxLatency"
[[nodiscard]] std::string joined_keys(const std::vector<std::string>& keys);

}  // namespace nexusfix::engine
