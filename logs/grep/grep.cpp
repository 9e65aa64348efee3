#include "logs/grep/grep.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/grep/matching_work.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/help/pager.hpp"

namespace nexusfix::command {
namespace {

using logs::AfterMessage;
using logs::LogMessage;

// A copy of a message that may be printed later.
struct KeptMessage {
  explicit KeptMessage(const LogMessage& message)
      : bytes{message.bytes}, prefix{message.prefix}, path{message.path}, like{message} {}
  [[nodiscard]] LogMessage view() const {
    LogMessage message = like;
    message.bytes = bytes;
    message.prefix = prefix;
    message.path = path;
    return message;
  }

  std::string bytes;
  std::string prefix;
  std::string path;
  LogMessage like;  // its views are not valid
};

class GrepRun {
 public:
  GrepRun(const GrepOptions& options, GrepStreams streams, const logs::Expression& expression,
          const logs::OutputOptions& output)
      : options_{options},
        output_{output},
        streams_{streams},
        matcher_{expression},
        writer_{streams.out, output},
        prints_{!options.only_count && !options.is_quiet} {}

  int run(Disk& disk) {
    const auto each = [&](const LogMessage& message) { return take(message); };
    const auto drained = [&] {
      if (prints_) writer_.flush();
    };
    const auto failed = [&](std::string_view error) { complain(error); };
    const auto found = [&](std::size_t file, std::uint64_t count) {
      found_ += count;
      if (options_.only_count) this->count(file, count);
      return logs::after_output(streams_.out);
    };
    const auto make_work = [&]() -> std::unique_ptr<logs::ChunkWork> {
      return std::make_unique<logs::MatchingWork>(
          logs::MatchingWork::Options{matcher_.copy(), options_.is_inverted, prints_, output_},
          writer_, found);
    };
    logs::LogCalls calls{each, drained, failed};
    if (can_work_in_chunks()) calls.make_work = make_work;
    const logs::LogReport report = logs::read_logs(disk, options_.input, calls);
    if (prints_) writer_.finish();
    if (options_.only_count) print_counts(report);
    std::fflush(streams_.out);
    if (report.has_unopened()) return kUsage;
    return found_ > 0 && !report.has_unread() ? kSuccess : kFailure;
  }

 private:
  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix grep: {}\n", printable(text));
  }

  AfterMessage take(const LogMessage& message) {
    const bool is_found = matcher_.matches(message) != options_.is_inverted;
    if (is_found) {
      ++found_;
      if (options_.only_count) count(message.file, 1);
      if (options_.is_quiet) return AfterMessage::Stop;
    }
    if (prints_) print(message, is_found);
    const bool is_enough = options_.count_max > 0 && found_ >= options_.count_max;
    if (is_enough && after_ == 0) return AfterMessage::Stop;
    // To ask for each message that is not printed takes as long as to find its end.
    return prints_ && is_found ? logs::after_output(streams_.out) : AfterMessage::Continue;
  }

  // The others depend on the messages before, or end early.
  [[nodiscard]] bool can_work_in_chunks() const {
    return options_.form != logs::OutputForm::Table && options_.count_max == 0 &&
           options_.before + options_.after == 0 && !options_.is_quiet;
  }

  void count(std::size_t file, std::uint64_t count) {
    if (file >= counts_.size()) counts_.resize(file + 1);
    counts_[file] += count;
  }

  void print(const LogMessage& message, bool is_found) {
    const bool is_over = options_.count_max > 0 && found_ > options_.count_max;
    if (is_found && !is_over) {
      const bool has_gap = number_ > printed_ + before_.size() && printed_ > 0;
      if (has_gap && options_.before + options_.after > 0) writer_.write_gap();
      for (const KeptMessage& kept : before_) writer_.write(kept.view());
      before_.clear();
      writer_.write(message);
      after_ = options_.after;
      printed_ = number_ + 1;
    } else if (after_ > 0) {
      writer_.write(message);
      --after_;
      printed_ = number_ + 1;
    } else if (options_.before > 0) {
      if (before_.size() == options_.before) before_.pop_front();
      before_.emplace_back(message);
    }
    ++number_;
  }

  void print_counts(const logs::LogReport& report) {
    counts_.resize(std::max(counts_.size(), report.files.size()));
    if (report.files.size() <= 1) {
      fmt::print(streams_.out, "{}\n", found_);
      return;
    }
    for (std::size_t i = 0; i < report.files.size(); ++i) {
      fmt::print(streams_.out, "{}:{}\n", printable(report.files[i].path), counts_[i]);
    }
  }

  const GrepOptions& options_;
  const logs::OutputOptions& output_;
  GrepStreams streams_;
  logs::Matcher matcher_;
  logs::MessageWriter writer_;
  bool prints_;
  std::uint64_t found_ = 0;
  std::vector<std::uint64_t> counts_;  // by file
  std::deque<KeptMessage> before_;
  std::size_t after_ = 0;      // of the last message found, still to print
  std::uint64_t number_ = 0;   // of messages so far
  std::uint64_t printed_ = 0;  // the number after the last printed message; 0: none
};

}  // namespace

int grep_files(const GrepOptions& options, Disk& disk, GrepStreams streams) {
  const auto wrong = [&](std::string_view text) {
    fmt::print(streams.err, "nexusfix grep: {}\n", text);
    return kUsage;
  };
  const auto own = own_dictionary(disk, options.dictionary);
  if (!own) return wrong(own.error());
  const FieldNames names{own->get()};
  const auto expression = logs::parse_expression(options.expression, names);
  if (!expression) return wrong(logs::underlined(options.expression, expression.error()));
  logs::OutputOptions output{.form = options.form,
                             .shows_passwords = options.shows_passwords,
                             .is_on_terminal = streams.out == stdout && is_output_a_terminal()};
  std::optional<dictionary::LoadedNames> own_names;
  dictionary::NameTable table;
  if (*own != nullptr) {
    table = own_names.emplace(**own).table();
    output.own_names = &table;
  }
  if (!options.fields.empty()) {
    auto columns = logs::read_columns(options.fields, names);
    if (!columns) return wrong("--fields: " + columns.error());
    output.columns = std::move(*columns);
  }
  output.with_path = options.input.files.size() > 1 || options.input.with_rotated;
  return GrepRun{options, streams, *expression, output}.run(disk);
}

}  // namespace nexusfix::command
