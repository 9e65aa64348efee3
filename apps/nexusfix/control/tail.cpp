#include "nexusfix/control/tail.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "control/api/running_engine.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/control/engine_report.hpp"
#include "nexusfix/control/tail_filter.hpp"
#include "nexusfix/dictionary/field_names.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/messages/decoded_message.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kName = "ctl";
// Short for a person, and long enough that twenty readers cost the engine nothing.
constexpr int kBetweenReadsMillis = 100;

// The fields by name; a field that occurs several times has an array of its values.
Json fields_of(std::string_view bytes, TagNames& names) {
  const printing::DecodedMessage message = printing::decode_message(bytes);
  const TagNames::Version& version = names.of(message.value(8));
  const auto to_json = [](std::string_view value) {
    auto exact = Json::exact(value);
    return exact ? std::move(*exact) : Json{value};
  };
  // One pass finds the values of each name: a hostile message has thousands of tags.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> members;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const printing::DecodedField& field : message.fields) {
    const std::string_view known = version.name(field.tag);
    const std::string_view name = known.empty() ? std::string_view{field.tag_text} : known;
    const auto [place, is_new] = places.try_emplace(name, members.size());
    if (is_new) members.push_back({name, {}});
    members[place->second].second.push_back(field.value);
  }
  Json fields = Json::object();
  for (const auto& [name, values] : members) {
    fields.add(name, values.size() == 1 ? to_json(values.front()) : Json::array(values, to_json));
  }
  return fields;
}

// With the fields by name, as `grep --ndjson` has them.
std::string json_line(const engine::LiveMessage& message, TagNames& names) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(message.time);
  Json line = Json::object({{"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", micros)},
                            {"direction", direction_of(message.kind)},
                            {"session", message.session},
                            {"message", message.bytes}});
  if (message.kind != observe::MessageKind::Garbled) {
    line.set("fields", fields_of(message.bytes, names));
  }
  return line.line();
}

void print_one(const engine::LiveMessage& message, TailForm form,
               const dictionary::NameTable* own_names, TagNames& names) {
  if (form == TailForm::Json) return fmt::print("{}\n", json_line(message, names));
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(message.time);
  const std::string prefix =
      fmt::format("{:%H:%M:%S} {:<3} {}  ", millis, direction_of(message.kind), message.session);
  if (message.kind == observe::MessageKind::Garbled) {
    return fmt::print("{}no message: {}\n", printable(prefix), printable(message.bytes));
  }
  printing::print_message(
      stdout, message.bytes,
      {.colour = ::isatty(STDOUT_FILENO) != 0 ? printing::Colour::Always : printing::Colour::Never,
       .detail =
           form == TailForm::Summary ? printing::Detail::HeadingOnly : printing::Detail::Fields,
       .own_names = own_names,
       .prefix = prefix});
}

void print_lost(std::uint64_t lost, TailForm form) {
  if (lost == 0) return;
  if (form == TailForm::Json) {
    fmt::print("{}\n", Json::object({{"lost", lost}}).line());
  } else {
    fmt::print("... {} not shown: more came than this reader took\n", counted(lost, "message"));
  }
}

bool is_session(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  return equals == std::string_view::npos || argument.substr(0, equals).contains("->");
}

}  // namespace

int run_tail(const std::string& place, const TailOptions& options) {
  std::vector<std::string> conditions = options.arguments;
  std::string session;
  // A session's name has "->", and a condition has it only in its value.
  if (!conditions.empty() && is_session(conditions[0])) {
    const auto status = engine::status_of_running_engine(place);
    if (!status) return fail(kName, status.error().text);
    const auto found = find_session(*status, conditions[0]);
    if (!found) return fail(kName, found.error());
    session = (*found)->name;
    conditions.erase(conditions.begin());
  }
  PosixDisk disk;
  const auto own = own_dictionary(disk, options.dictionary);
  if (!own) {
    static_cast<void>(fail(kName, own.error()));
    return kUsage;
  }
  std::optional<dictionary::LoadedNames> loaded;
  dictionary::NameTable table;
  if (*own != nullptr) table = loaded.emplace(**own).table();
  const dictionary::NameTable* const own_names = loaded ? &table : nullptr;
  const auto filter = TailFilter::parse(conditions, FieldNames{own->get()});
  if (!filter) {
    static_cast<void>(fail(kName, filter.error()));
    return kUsage;
  }
  TagNames names{own_names};
  auto tail = engine::MessageTail::open(place, session);
  if (!tail) return fail(kName, tail.error().text);
  // On standard error, so that standard output has messages only.
  fmt::print(stderr, "following the messages of {}; Ctrl-C ends it\n",
             session.empty() ? "every session" : session);
  for (std::uint64_t shown = 0;;) {
    const auto got = tail->next();
    if (!got) return fail(kName, got.error().text);
    for (const engine::LiveMessage& message : got->messages) {
      if (!filter->admits(message.bytes)) continue;
      print_one(message, options.form, own_names, names);
      if (++shown == options.count) return std::fflush(stdout) == 0 ? kSuccess : kFailure;
    }
    print_lost(got->lost, options.form);
    if (std::fflush(stdout) != 0) return kFailure;  // no one reads
    if (got->messages.empty()) static_cast<void>(::poll(nullptr, 0, kBetweenReadsMillis));
  }
}

}  // namespace nexusfix::command
