#include "nexusfix/dictionary/dict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

#include "nexusfix/dictionary/dictionary_answers.hpp"
#include "nexusfix/dictionary/dictionary_diff.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Version;
using printing::printable;

// The version without --version: the most common one.
constexpr Version kDefaultVersion = Version::Fix44;
// The versions to look in after it, the newest first.
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
    if (!named) return kUsage;
    if (options_.words.empty()) {
      print(overview(*named));
      return kSuccess;
    }
    int status = kSuccess;
    bool is_first = true;
    for (const std::string& word : options_.words) {
      std::optional<Answer> found = answer(*named, word);
      if (!found && is_default_version()) found = answer_of_others(word);
      if (!found) {
        status = kFailure;
        report_unknown(*named, word);
        continue;
      }
      if (!is_first && !options_.json) fmt::print(streams_.out, "\n");
      is_first = false;
      print(*found);
    }
    return status;
  }

  int show_difference() {
    const auto before =
        with_warnings(NamedDictionary::open(disk_, options_.diff[0], options_.faults));
    const auto after =
        with_warnings(NamedDictionary::open(disk_, options_.diff[1], options_.faults));
    if (!before || !after) return kUsage;
    if (options_.words.empty()) {
      print(*difference(*before, *after, {}));
      return kSuccess;
    }
    int status = kSuccess;
    for (const std::string& word : options_.words) {
      const auto found = word.empty() ? std::nullopt : difference(*before, *after, word);
      if (found) {
        print(*found);
        continue;
      }
      status = kFailure;
      report_unknown(*after,
                     before->label() + " and " + after->label() + " do not have '" + word + "'.",
                     word, {});
    }
    return status;
  }

  [[nodiscard]] bool is_default_version() const {
    return options_.version.empty() && options_.dictionary.empty();
  }

  // Returns nothing after it has reported the error.
  [[nodiscard]] std::optional<NamedDictionary> open_dictionary() {
    if (!options_.dictionary.empty()) {
      return with_warnings(NamedDictionary::load(disk_, options_.dictionary, options_.faults));
    }
    if (options_.version.empty()) return NamedDictionary::of(kDefaultVersion);
    if (const auto version = version_of_name(options_.version)) {
      return NamedDictionary::of(*version);
    }
    complain("'" + options_.version + "' is none of " + version_names());
    return std::nullopt;
  }

  [[nodiscard]] std::optional<NamedDictionary> with_warnings(NamedDictionary::Opened opened) const {
    if (!opened) {
      for (const std::string& error : opened.error()) complain(error);
      return std::nullopt;
    }
    for (const std::string& warning : opened->warnings()) complain("warning: " + warning);
    return std::move(*opened);
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

  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix dict: {}\n", printable(text));
  }

  // Looks in the other versions, too, if the arguments name no dictionary.
  [[nodiscard]] std::vector<std::string> nearest(const NamedDictionary& named,
                                                 const std::string& word) const {
    std::vector<std::string> found = nearest_questions(named, word);
    for (const Version version : kOtherVersions) {
      if (!found.empty() || !is_default_version()) break;
      found = nearest_questions(NamedDictionary::of(version), word);
    }
    return found;
  }

  void report_unknown(const NamedDictionary& named, const std::string& word) const {
    std::string other;
    if (!is_default_version()) {
      for (const Version version : kOtherVersions) {
        if (!answer(NamedDictionary::of(version), word)) continue;
        other = to_string(version);
        break;
      }
    }
    report_unknown(named, named.label() + " does not have '" + word + "'.", word, other);
  }

  void report_unknown(const NamedDictionary& named, std::string text, const std::string& word,
                      std::string_view other) const {
    const std::vector<std::string> names = nearest(named, word);
    if (options_.json) {
      const Json unknown = Json::object({{"kind", "unknown"},
                                         {"dictionary", named.label()},
                                         {"asked", word},
                                         {"nearest", Json::array(names)}});
      fmt::print(streams_.out, "{}\n", unknown.line());
      return;
    }
    if (!names.empty()) {
      text += fmt::format(" Did you mean {}?", fmt::join(names, " or "));
    } else if (const std::string values = values_to_ask_for(named, word); !values.empty()) {
      text += " There is " + values + ".";
    }
    if (!other.empty()) text += fmt::format(" {} has it.", other);
    complain(text);
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
