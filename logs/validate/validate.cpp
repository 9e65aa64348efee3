#include "logs/validate/validate.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/field.hpp>

#include "explanation/clipped.hpp"
#include "logs/output/message_writer.hpp"
#include "logs/validate/message_checker.hpp"
#include "logs/validate/verdict.hpp"
#include "logs/validate/version_checkers.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/messages/decoded_message.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Explanation;
using dictionary::ValidationRules;
using printing::printable;

class ValidateRun {
 public:
  ValidateRun(const ValidateOptions& options, Disk& disk, ValidateStreams streams)
      : options_{options}, disk_{disk}, streams_{streams}, checkers_{options.rules} {}

  int run() {
    if (!open_named()) return kUsage;
    const logs::LogReport report = validate_all();
    if (options_.json && options_.summary) {
      const Json counts =
          Json::object({{"messages", total_}, {"invalid", invalid_}, {"skipped", skipped_}});
      fmt::print(streams_.out, "{}\n", counts.line());
    } else if (total_ > 0 && !options_.json) {
      fmt::print(streams_.out, "{} message{}, {} invalid{}\n", total_, total_ == 1 ? "" : "s",
                 invalid_, skipped_ > 0 ? fmt::format(", {} skipped", skipped_) : "");
    }
    std::fflush(streams_.out);
    if (report.has_unopened() || is_broken_) return kUsage;
    if (total_ == 0) {
      complain(skipped_ > 0 ? "no message" : "no message: nothing begins with 8=FIX");
    }
    return total_ > 0 && invalid_ == 0 && !report.has_unread() ? kSuccess : kFailure;
  }

 private:
  // Opens the dictionary that the arguments name, if they name one.
  bool open_named() {
    if (options_.version.empty() && options_.dictionary.empty()) return true;
    std::optional<NamedDictionary> named;
    if (options_.dictionary.empty()) {
      const auto version = version_of_name(options_.version);
      if (!version) {
        complain("'" + options_.version + "' is none of " + version_names());
        return false;
      }
      named = NamedDictionary::of(*version);
    } else {
      auto loaded = NamedDictionary::load(disk_, options_.dictionary, options_.faults);
      if (!loaded) {
        for (const std::string& error : loaded.error()) complain(error);
        return false;
      }
      for (const std::string& warning : loaded->warnings()) complain("warning: " + warning);
      named = std::move(*loaded);
    }
    named_ = make(std::move(*named));
    return named_ != nullptr;
  }

  std::unique_ptr<MessageChecker> make(NamedDictionary named) {
    auto checker = MessageChecker::make(std::move(named), options_.rules);
    if (checker) return std::move(*checker);
    complain(checker.error());
    is_broken_ = true;
    return nullptr;
  }

  logs::LogReport validate_all() {
    std::vector<std::uint64_t> in_files;
    const auto each = [&](const logs::LogMessage& message) {
      in_files.resize(std::max(in_files.size(), message.file + 1));
      file_ = message.path;
      in_file_ = ++in_files[message.file];
      validate(message.bytes);
      return logs::after_output(streams_.out);
    };
    const auto drained = [&] { std::fflush(streams_.out); };
    const auto failed = [&](std::string_view error) { complain(error); };
    logs::LogReport report = logs::read_logs(disk_, options_.input, {each, drained, failed});
    skipped_ = report.skipped();
    return report;
  }

  void validate(std::string_view bytes) {
    ++total_;
    if (is_broken_) return;
    const printing::DecodedMessage message = printing::decode_message(bytes);
    if (is_from_file()) compare_version(message);
    std::optional<Explanation> wrong;
    if (named_ != nullptr) {
      wrong = named_->check(bytes);
    } else if (auto checked = checkers_.check(message, bytes)) {
      wrong = std::move(*checked);
    } else {
      complain(checked.error());
      is_broken_ = true;
      return;
    }
    if (wrong) ++invalid_;
    if (options_.summary || (!options_.json && !wrong)) return;
    begin_output();
    const MessagePlace place{.file = file_, .number = in_file_};
    if (options_.json) {
      fmt::print(streams_.out, "{}\n", verdict_json(place, message, wrong).line());
    } else {
      fmt::print(streams_.out, "{}\n\n", verdict_text(place, *wrong));
    }
  }

  [[nodiscard]] bool is_from_file() const { return !options_.dictionary.empty(); }

  // Warns, once for each version, of messages of another version: an error by this dictionary may
  // be correct in their own version.
  void compare_version(const printing::DecodedMessage& message) {
    const std::string version{message.value(tag::BeginString)};
    const bool is_same = version == named_->begin_string();
    if (is_same || version.empty() || other_versions_.size() == kOtherVersionsMax) return;
    if (!other_versions_.insert(version).second) return;
    complain(fmt::format("warning: messages are of {}, and {} is of {}",
                         dictionary::clipped(version), options_.dictionary,
                         named_->begin_string()));
  }

  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix validate: {}\n", printable(text));
  }

  const ValidateOptions& options_;
  Disk& disk_;
  ValidateStreams streams_;
  std::unique_ptr<MessageChecker> named_;
  VersionCheckers checkers_;  // without named_
  static constexpr std::size_t kOtherVersionsMax = 8;
  std::set<std::string> other_versions_;  // that a warning has named
  std::string file_;
  std::uint64_t in_file_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t invalid_ = 0;
  std::uint64_t skipped_ = 0;
  bool is_broken_ = false;
};

}  // namespace

bool set_rule(ValidationRules& rules, std::string_view assignment) {
  const std::size_t equals = std::min(assignment.find('='), assignment.size());
  const auto& keys = dictionary::kValidationRuleKeys;
  const auto rule = std::ranges::find(keys, assignment.substr(0, equals),
                                      [](const auto& key) { return key.first; });
  if (rule == keys.end() || assignment.size() != equals + 2) return false;
  if (assignment.back() != 'Y' && assignment.back() != 'N') return false;
  rules.*(rule->second) = assignment.back() == 'Y';
  return true;
}

std::string rule_names() {
  std::string names;
  for (const auto& key : dictionary::kValidationRuleKeys) {
    if (!names.empty()) names += ' ';
    names += key.first;
  }
  return names;
}

int validate_files(const ValidateOptions& options, Disk& disk, ValidateStreams streams) {
  return ValidateRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
