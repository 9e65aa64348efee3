#include "nexusfix/dict.hpp"

#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "nexusfix/dictionary_answers.hpp"
#include "nexusfix/dictionary_diff.hpp"
#include "nexusfix/named_dictionary.hpp"
#include "nexusfix/print_message.hpp"
#include "nexusfix/text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Version;
using printing::printable;

// Whoever names no version most likely speaks this one.
constexpr Version kUsualVersion = Version::Fix44;
// Then these, the newest first.
constexpr Version kOtherVersions[] = {Version::Fix50Sp2, Version::Fix50Sp1, Version::Fix50,
                                      Version::Fix43,    Version::Fix42,    Version::Fix41,
                                      Version::Fix40};

class DictRun {
 public:
  DictRun(const DictOptions& options, Disk& disk, DictStreams streams)
      : options_{options}, disk_{disk}, streams_{streams} {}

  int run() {
    const int status = options_.diff.empty() ? answer_all() : show_difference();
    std::fflush(streams_.out);
    return status;
  }

 private:
  int answer_all() {
    const auto named = open_dictionary();
    if (!named) return complain(kUsage, named.error());
    if (options_.words.empty()) {
      print(overview(*named));
      return kSuccess;
    }
    int status = kSuccess;
    bool is_first = true;
    for (const std::string& word : options_.words) {
      std::optional<Answer> found = answer(*named, word);
      if (!found && is_usual()) found = answer_of_others(word);
      if (!found) {
        status = kFailure;
        say_unknown(*named, word);
        continue;
      }
      if (!is_first && !options_.json) fmt::print(streams_.out, "\n");
      is_first = false;
      print(*found);
    }
    return status;
  }

  int show_difference() {
    const auto before = NamedDictionary::open(disk_, options_.diff[0]);
    if (!before) return complain(kUsage, before.error());
    const auto after = NamedDictionary::open(disk_, options_.diff[1]);
    if (!after) return complain(kUsage, after.error());
    const std::string word = options_.words.empty() ? std::string{} : options_.words.front();
    if (const auto found = difference(*before, *after, word)) {
      print(*found);
      return kSuccess;
    }
    say_unknown(*after, word);
    return kFailure;
  }

  [[nodiscard]] bool is_usual() const {
    return options_.version.empty() && options_.dictionary.empty();
  }

  [[nodiscard]] std::expected<NamedDictionary, std::string> open_dictionary() {
    if (!options_.dictionary.empty()) return NamedDictionary::load(disk_, options_.dictionary);
    if (options_.version.empty()) return NamedDictionary::of(kUsualVersion);
    if (const auto version = version_of_name(options_.version)) {
      return NamedDictionary::of(*version);
    }
    return std::unexpected{"'" + options_.version + "' is none of " + version_names()};
  }

  static std::optional<Answer> answer_of_others(std::string_view word) {
    for (const Version version : kOtherVersions) {
      if (auto found = answer(NamedDictionary::of(version), word)) return found;
    }
    return std::nullopt;
  }

  void print(const Answer& answer) const {
    fmt::print(streams_.out, "{}{}", options_.json ? answer.json : answer.text,
               options_.json ? "\n" : "");
  }

  int complain(int status, std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix dict: {}\n", printable(text));
    return status;
  }

  void say_unknown(const NamedDictionary& named, const std::string& word) const {
    const std::vector<std::string> nearest = nearest_questions(named, word);
    std::string other;
    if (!is_usual()) {
      for (const Version version : kOtherVersions) {
        if (!answer(NamedDictionary::of(version), word)) continue;
        other = name_of(version);
        break;
      }
    }
    if (options_.json) {
      std::string names;
      for (const std::string& name : nearest) {
        names += (names.empty() ? "" : ", ") + json_text(name);
      }
      fmt::print(streams_.out,
                 R"({{"kind": "unknown", "dictionary": {}, "asked": {}, "nearest": [{}]}})"
                 "\n",
                 json_text(named.label()), json_text(word), names);
      return;
    }
    std::string text = fmt::format("{} does not have '{}'.", named.label(), word);
    if (!nearest.empty()) text += fmt::format(" Did you mean {}?", fmt::join(nearest, " or "));
    if (!other.empty()) text += fmt::format(" {} has it.", other);
    complain(kFailure, text);
  }

  const DictOptions& options_;
  Disk& disk_;
  DictStreams streams_;
};

}  // namespace

int answer_questions(const DictOptions& options, Disk& disk, DictStreams streams) {
  return DictRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
