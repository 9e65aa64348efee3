#include "logs/learn/learn.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/session/identity.hpp>

#include "logs/fields/message_fields.hpp"
#include "logs/learn/dictionary_gaps.hpp"
#include "logs/learn/learned_dictionary.hpp"
#include "logs/learn/seen_messages.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Version;
using printing::printable;

class LearnRun {
 public:
  LearnRun(const LearnOptions& options, Disk& disk, LearnStreams streams)
      : options_{options}, disk_{disk}, streams_{streams} {}

  int run() {
    if (!options_.against.empty() && !open_against()) return kUsage;
    if (!options_.version.empty()) {
      version_ = version_of_name(options_.version);
      if (!version_) {
        complain(fmt::format("'{}' is none of {}", options_.version, version_names()));
        return kUsage;
      }
    }
    const logs::LogReport report = read_all();
    if (report.has_unopened()) return kUsage;
    report_skipped();
    if (!seen_ || learned_ == 0) {
      complain("no message to learn from");
      return kFailure;
    }
    const bool has_gaps = named_ ? print_gaps() : print_dictionary();
    std::fflush(streams_.out);
    return has_gaps || report.has_unread() ? kFailure : kSuccess;
  }

 private:
  bool open_against() {
    auto loaded = NamedDictionary::load(disk_, options_.against, options_.faults);
    if (!loaded) {
      for (const std::string& error : loaded.error()) complain(error);
      return false;
    }
    named_ = std::move(*loaded);
    return true;
  }

  logs::LogReport read_all() {
    std::vector<std::uint64_t> in_files;
    const auto each = [&](const logs::LogMessage& message) {
      in_files.resize(std::max(in_files.size(), message.file + 1));
      learn(message, ++in_files[message.file]);
      return logs::AfterMessage::Continue;
    };
    const auto failed = [&](std::string_view error) { complain(error); };
    return logs::read_logs(disk_, options_.input, {each, [] {}, failed});
  }

  void learn(const logs::LogMessage& message, std::uint64_t number) {
    fields_.read(message.bytes);
    const auto begin = dictionary::version_of_begin_string(fields_.value(tag::BeginString));
    if (!begin) {
      ++faulty_;
      return;
    }
    const auto agreed = dictionary::version_of_appl_ver_id(fields_.value(tag::DefaultApplVerID));
    if (agreed) application_ = *agreed;
    const auto own = dictionary::version_of_appl_ver_id(fields_.value(tag::ApplVerID));
    const bool is_fixt = *begin == Version::Fixt11;
    const Version version = is_fixt ? own.value_or(application_) : *begin;
    const bool is_admin = is_fixt && session::is_administrative(fields_.value(tag::MsgType));
    if (!version_ && !is_admin) version_ = version;
    if (!version_ || (is_fixt && is_admin)) return;
    if (version != *version_) {
      ++others_;
      return;
    }
    if (!seen_) seen_.emplace(*version_);
    const bool is_learned =
        seen_->add(fields_.all(), {.file = std::string{message.path}, .message = number});
    ++(is_learned ? learned_ : faulty_);
  }

  void report_skipped() const {
    if (faulty_ > 0) complain(fmt::format("{} faulty messages are left out", faulty_));
    if (others_ == 0) return;
    complain(fmt::format("{} messages of other versions than {} are left out: --version", others_,
                         dictionary::to_string(*version_)));
  }

  bool print_dictionary() {
    fmt::print(streams_.out, "{}",
               logs::to_counted_xml(logs::learned_dictionary(*seen_), *seen_, options_.format));
    return false;
  }

  bool print_gaps() {
    const std::vector<logs::DictionaryGap> gaps = logs::dictionary_gaps(*seen_, *named_);
    for (const logs::DictionaryGap& gap : gaps) {
      if (options_.json) {
        const Json json = Json::object({{"where", gap.where},
                                        {"what", gap.what},
                                        {"count", gap.count},
                                        {"file", gap.first.file},
                                        {"message", gap.first.message}});
        fmt::print(streams_.out, "{}\n", json.line());
      } else {
        fmt::print(streams_.out, "{}: {}: {} time{}, first in {}, message {}\n",
                   printable(gap.where), printable(gap.what), gap.count, gap.count == 1 ? "" : "s",
                   printable(gap.first.file), gap.first.message);
      }
    }
    if (!options_.json) {
      fmt::print(streams_.out, "{} message{}, {} that the dictionary does not say\n", learned_,
                 learned_ == 1 ? "" : "s", gaps.size());
    }
    return !gaps.empty();
  }

  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix dict learn: {}\n", printable(text));
  }

  const LearnOptions& options_;
  Disk& disk_;
  LearnStreams streams_;
  std::optional<NamedDictionary> named_;
  std::optional<Version> version_;
  Version application_ = Version::Fix50Sp2;
  std::optional<logs::SeenMessages> seen_;
  logs::MessageFields fields_;
  std::uint64_t learned_ = 0;
  std::uint64_t faulty_ = 0;
  std::uint64_t others_ = 0;
};

}  // namespace

int learn_dictionary(const LearnOptions& options, Disk& disk, LearnStreams streams) {
  return LearnRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
