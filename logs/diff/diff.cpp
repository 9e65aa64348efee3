#include "logs/diff/diff.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/api/printable_text.hpp"
#include "logs/diff/log_diff.hpp"
#include "logs/output/message_writer.hpp"
#include "nexusfix/dictionary/field_names.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using logs::DiffMessage;
using logs::LogDifference;

constexpr int kTrouble = 2;

std::string name_of(const FieldNames& names, wire::Tag tag) {
  const auto* const field = names.field(tag);
  return field == nullptr ? std::to_string(tag) : fmt::format("{} ({})", field->name, tag);
}

// "T->V 34=5 NewOrderSingle"
std::string title_of(const FieldNames& names, const DiffMessage& message) {
  logs::MessageFields fields;
  fields.read(message.bytes);
  const std::string type{fields.value(35)};
  return fmt::format("{}->{} 34={} {}", printable(fields.value(49)), printable(fields.value(56)),
                     printable(fields.value(34)),
                     names.message_name(type).value_or(printable(type)));
}

class DiffRun {
 public:
  DiffRun(const DiffOptions& options, DiffStreams streams) : options_{options}, streams_{streams} {
    for (const std::string& file : options.input.files) {
      paths_.push_back(file == "-" ? "standard input" : printable(file));
    }
  }

  int run(Disk& disk) {
    logs::LogDiff diff{[&](const LogDifference& difference) { print(difference); }};
    logs::LogRequest request = options_.input;
    request.is_merged = true;
    request.merges_by_sending_time = true;
    const auto each = [&](const logs::LogMessage& message) {
      diff.add(message.file, message);
      if (options_.is_quiet && diff.counts().has_difference()) return logs::AfterMessage::Stop;
      return logs::after_output(streams_.out);
    };
    const auto failed = [&](std::string_view error) { complain(printable(error)); };
    if (options_.is_json) fmt::print(streams_.out, "{{\"differences\":[");
    const logs::LogReport report = logs::read_logs(disk, request, {each, [] {}, failed});
    const bool is_trouble = report.has_unopened() || report.has_unread() || is_interrupted();
    if (!report.has_unopened()) diff.finish();
    print_counts(diff.counts());
    std::fflush(streams_.out);
    if (diff.counts().is_limited) {
      complain(
          "too many messages waited for the other log: some of the differences may be none. "
          "Compare shorter parts, with --from and --to");
    }
    if (is_trouble || diff.counts().is_limited) return kTrouble;
    return diff.counts().has_difference() ? 1 : 0;
  }

 private:
  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix diff: {}\n", text);
  }

  void print(const LogDifference& difference) {
    if (options_.is_quiet) return;
    begin_output();
    if (options_.is_json) {
      print_json(difference);
    } else {
      print_text(difference);
    }
  }

  // "sent, and not in b.log", by the direction in the line.
  [[nodiscard]] std::string fate_of(const DiffMessage& message) const {
    const std::string& other = paths_[1 - message.side];
    using enum logs::LoggedDirection;
    if (message.direction == Out) return fmt::format("sent, and not in {}", other);
    if (message.direction == In) return fmt::format("received, and not in {}", other);
    return fmt::format("not in {}", other);
  }

  void print_text(const LogDifference& difference) {
    for (std::size_t side = 0; side < 2; ++side) {
      const DiffMessage* const message = difference.messages[side];
      if (message == nullptr) continue;
      const bool is_alone = difference.messages[1 - side] == nullptr;
      if (side == 0 || is_alone) {
        fmt::print(streams_.out, "{}: {}\n", title_of(names_, *message),
                   is_alone ? fate_of(*message) : "differs" + what_differs(difference));
      }
      fmt::print(streams_.out, "{} {}:{}: {}\n", side == 0 ? '<' : '>', paths_[side],
                 message->offset, line_of(*message));
    }
  }

  [[nodiscard]] std::string what_differs(const LogDifference& difference) const {
    const logs::FieldDifference& field = difference.field;
    const auto shown = [](const std::string& text) {
      return text.empty() ? std::string{"no field"} : printable(text);
    };
    return fmt::format(" in {}: {} and {}",
                       field.tag > 0 ? name_of(names_, field.tag) : "the order of its fields",
                       shown(field.texts[0]), shown(field.texts[1]));
  }

  static std::string line_of(const DiffMessage& message) {
    std::string text = message.bytes;
    for (char& c : text) {
      if (c == '\x01') c = '|';
    }
    return printable(text);
  }

  void print_json(const LogDifference& difference) {
    Json json = Json::object();
    const bool is_pair = difference.messages[0] != nullptr && difference.messages[1] != nullptr;
    const DiffMessage& any = *difference.messages[difference.messages[0] == nullptr ? 1 : 0];
    json.set("kind", is_pair ? "different" : "missing");
    json.set("title", title_of(names_, any));
    if (is_pair) {
      json.set("tag", difference.field.tag);
      json.set("fields", Json::array(difference.field.texts));
    } else {
      json.set("fate", fate_of(any));
    }
    const auto message_json = [&](const DiffMessage* message) {
      if (message == nullptr) return Json{};
      return Json::object({{"file", paths_[message->side]},
                           {"offset", message->offset},
                           {"message", message->bytes}});
    };
    json.set("messages", Json::array(difference.messages, message_json));
    fmt::print(streams_.out, "{}\n{}", std::exchange(is_first_, false) ? "" : ",", json.line());
  }

  void print_counts(const logs::DiffCounts& counts) const {
    if (options_.is_json) {
      const Json json = Json::object({{"equal", counts.equal},
                                      {"resent", counts.resent},
                                      {"gap_filled", counts.gap_filled},
                                      {"only_in_first", counts.only[0]},
                                      {"only_in_second", counts.only[1]},
                                      {"different", counts.different}});
      fmt::print(streams_.out, "\n],\"counts\":{}}}\n", json.line());
    } else if (!options_.is_quiet) {
      fmt::print(streams_.out,
                 "{} equal, {} came by a resend, {} gap-filled, {} only in {}, {} "
                 "only in {}, {} different\n",
                 counted(counts.equal, "message"), with_thousands(counts.resent),
                 with_thousands(counts.gap_filled), with_thousands(counts.only[0]), paths_[0],
                 with_thousands(counts.only[1]), paths_[1], with_thousands(counts.different));
    }
  }

  const DiffOptions& options_;
  DiffStreams streams_;
  FieldNames names_;
  std::vector<std::string> paths_;
  bool is_first_ = true;
};

}  // namespace

int diff_files(const DiffOptions& options, Disk& disk, DiffStreams streams) {
  return DiffRun{options, streams}.run(disk);
}

}  // namespace nexusfix::command
