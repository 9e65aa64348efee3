// What the commands for logs make of hostile ones: diff, order, stats, anonymise and replay. Each
// ends with a status that it documents, and prints no byte that steers a terminal. A log does not
// differ from itself, an anonymised one has the same messages, and what replay writes is a message.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "logs/anonymise/anonymise.hpp"
#include "logs/diff/diff.hpp"
#include "logs/order/order.hpp"
#include "logs/replay/log_message_source.hpp"
#include "logs/replay/replayed_message.hpp"
#include "logs/stats/stats.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/output_text.hpp"

namespace {

using namespace nexusfix;
using testing::FakeDisk;
using testing::Input;
using testing::OutputText;
using testing::require;

struct Printed {
  int status = 0;
  std::string out{};
  std::string err{};
};

// The output of a command, which ends with one of these statuses.
template <class Command>
Printed printed_by(Command command, std::initializer_list<int> statuses) {
  OutputText out;
  OutputText err;
  Printed printed{.status = command(out.stream(), err.stream())};
  printed.out = out.text();
  printed.err = err.text();
  require(std::ranges::count(statuses, printed.status) == 1);
  return printed;
}

void require_printable(std::string_view text) {
  require(std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\n') || byte == 0x7F;
  }));
}

void check_diff(FakeDisk& disk, const std::string& other, bool is_json) {
  command::DiffOptions options{.is_json = is_json};
  options.input.files = {"/log", other};
  const Printed printed =
      printed_by([&](std::FILE* out,
                     std::FILE* err) { return command::diff_files(options, disk, {out, err}); },
                 {0, 1, 2});
  require_printable(printed.out);
  require_printable(printed.err);
  require(!is_json || nlohmann::json::accept(printed.out));
  require(other != "/log" || printed.status != 1);
}

void check_order(FakeDisk& disk, const std::string& id, bool is_json) {
  command::OrderOptions options{.id = id, .is_json = is_json};
  options.input.files = {"/log", "/other"};
  const Printed printed =
      printed_by([&](std::FILE* out,
                     std::FILE* err) { return command::order_files(options, disk, {out, err}); },
                 {command::kSuccess, command::kFailure});
  require_printable(printed.out);
  require_printable(printed.err);
  require(printed.status != command::kSuccess || !printed.out.empty());
  require(!is_json || printed.out.empty() || nlohmann::json::accept(printed.out));
}

// The page without the tags that XML forbids.
std::string as_xml(std::string page) {
  for (const std::string_view tag : {"<!DOCTYPE html>", "<meta "}) {
    for (std::size_t at = page.find(tag); at != page.npos; at = page.find(tag)) {
      page.erase(at, page.find('>', at) + 1 - at);
    }
  }
  return page;
}

void check_stats(FakeDisk& disk, std::size_t form) {
  command::StatsOptions options{
      .is_json = form % 3 == 1, .is_html = form % 3 == 2, .shows_all = form % 2 == 1};
  options.input.files = {"/log"};
  const Printed printed =
      printed_by([&](std::FILE* out,
                     std::FILE* err) { return command::stats_files(options, disk, {out, err}); },
                 {command::kSuccess, command::kFailure});
  require_printable(printed.out);
  require_printable(printed.err);
  require(!options.is_json || nlohmann::json::accept(printed.out));
  require(!options.is_html || pugi::xml_document{}.load_string(as_xml(printed.out).c_str()));
}

std::vector<std::string> messages_of(FakeDisk& disk, const std::string& path) {
  std::vector<std::string> messages;
  logs::LogRequest request{.files = {path}};
  request.kind = path == "/new" ? logs::SourceKind::Text : logs::SourceKind::Recognised;
  const auto each = [&](const logs::LogMessage& message) {
    messages.emplace_back(message.bytes);
    return logs::AfterMessage::Continue;
  };
  logs::read_logs(disk, request, {each, [] {}, [](std::string_view) {}});
  return messages;
}

// The tags of a message, without BodyLength and CheckSum.
std::vector<wire::Tag> tags_of(std::string_view message) {
  logs::MessageFields fields;
  fields.read(message);
  std::vector<wire::Tag> tags;
  for (const logs::MessageField& field : fields.all()) {
    if (field.tag != 9 && field.tag != 10) tags.push_back(field.tag);
  }
  return tags;
}

void check_anonymise(FakeDisk& disk, bool scales_prices) {
  disk.set_contents("/key", "a key of the fuzz target");
  command::AnonymiseOptions options{
      .key_file = "/key",
      .prices = scales_prices ? logs::PriceChoice::Scale : logs::PriceChoice::Keep};
  options.input.files = {"/log"};
  const auto run = [&] {
    return printed_by(
        [&](std::FILE* out, std::FILE* err) {
          return command::anonymise_files(options, disk, {out, err});
        },
        {command::kSuccess, command::kFailure});
  };
  const Printed printed = run();
  require(printed.out == run().out);
  require_printable(printed.err);
  disk.set_contents("/new", printed.out);
  const std::vector<std::string> messages = messages_of(disk, "/log");
  const std::vector<std::string> others = messages_of(disk, "/new");
  require(messages.size() == others.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    require(tags_of(messages[i]) == tags_of(others[i]));
  }
}

void check_replay(FakeDisk& disk, bool keeps_dates, const std::string& prefix) {
  static const command::FieldNames kNames;
  logs::ReplayedMessage message{kNames, {.keeps_dates = keeps_dates, .id_prefix = prefix}};
  logs::LogMessageSource source{disk, {.files = {"/log"}}, {}};
  wire::Parser parser;
  std::vector<char> buffer(1U << 20U);
  while (!source.has_ended()) {
    static_cast<void>(source.wait(std::chrono::seconds{1}));
    for (const logs::ChosenMessage& chosen : source.take()) {
      const std::string type{logs::msg_type_of(chosen.bytes)};
      const WallTime now{std::chrono::seconds{1'800'000'000}};
      wire::Encoder encoder{buffer,
                            wire::HeaderFields{"FIX.4.4", "S", "T"},
                            {.msg_type = type, .msg_seq_num = 7, .sending_time = now}};
      message.write(encoder, chosen.bytes, false, now);
      const auto written = encoder.finish();
      require(!written || parser.parse(*written).has_value());
    }
  }
}

}  // namespace

// Byte 0: the command and how it is run. Byte 1: the size of an identifier, and two bytes for that
// of the first log. Then the identifier, the log, and another one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kCommands = 5;
  Input input{data, size};
  const std::size_t first = input.byte();
  const std::size_t how = first / kCommands;
  const std::size_t id_bytes = input.byte();
  const std::size_t log_bytes = input.word();
  const std::string id = input.text(id_bytes);
  FakeDisk disk;
  disk.set_contents("/log", input.text(log_bytes));
  disk.set_contents("/other", input.text(size));
  switch (first % kCommands) {
    case 0:
      check_diff(disk, how % 4 < 2 ? "/other" : "/log", how % 2 == 1);
      break;
    case 1:
      check_order(disk, id, how % 2 == 1);
      break;
    case 2:
      check_stats(disk, how);
      break;
    case 3:
      check_anonymise(disk, how % 2 == 1);
      break;
    default:
      check_replay(disk, how % 2 == 1, id);
      break;
  }
  return 0;
}
