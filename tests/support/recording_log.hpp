// An event log whose events a test can read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/observe/logs.hpp>

namespace nexusfix::testing {

class RecordingLog final : public observe::EventLog {
 public:
  void write(const observe::Event& event) override {
    lines.push_back(std::string{event.session} + " " + std::string{event.text});
    ids.push_back(event.id);
  }
  void clear() {
    lines.clear();
    ids.clear();
  }
  [[nodiscard]] bool has(std::string_view part) const {
    for (const std::string& line : lines) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }
  [[nodiscard]] bool has(EventId id) const { return std::ranges::find(ids, id) != ids.end(); }
  [[nodiscard]] bool has(EventId id, std::string_view part) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (ids[i] == id && lines[i].contains(part)) return true;
    }
    return false;
  }
  [[nodiscard]] bool has(observe::Severity severity, std::string_view part) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (observe::severity_of(ids[i]) == severity && lines[i].contains(part)) return true;
    }
    return false;
  }
  [[nodiscard]] std::string all() const {
    std::string text;
    for (const std::string& line : lines) (text += line) += '\n';
    return text;
  }

  std::vector<std::string> lines;
  std::vector<EventId> ids;  // of each line
};

}  // namespace nexusfix::testing
