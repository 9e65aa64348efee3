#include "nexusfix/journal/journal_messages.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/session/identity.hpp>

#include "base/api/utc_text.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/meant_names.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

std::string with_bars(std::string_view bytes) {
  std::string text{bytes};
  std::ranges::replace(text, '\x01', '|');
  return text;
}

using LogMessage = store::Store::LogMessage;
using LogKind = store::Store::LogKind;

// MsgSeqNum (34). Of a received message the log has only the one after it that is expected.
std::uint64_t number_of(const LogMessage& message) {
  constexpr std::string_view kTag =
      "\x01"
      "34=";
  if (message.kind == LogKind::Sent) return message.msg_seq_num;
  const std::size_t at = message.bytes.find(kTag);
  if (at == std::string_view::npos) return message.msg_seq_num;
  const std::string_view value = message.bytes.substr(at + kTag.size());
  std::uint64_t number = message.msg_seq_num;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::string json_line(const LogMessage& message) {
  Json json = Json::object({{"session", message.session},
                            {"epoch", message.epoch},
                            {"number", number_of(message)},
                            {"direction", message.kind == LogKind::Received ? "in" : "out"}});
  if (message.time != WallTime{}) json.set("time", record_time(message.time));
  set_message(json, message.bytes);
  return json.line();
}

// "FIX.4.4:A->B  epoch 1  17", or "... received 17"
std::string heading(const LogMessage& message, bool has_time) {
  return fmt::format("{}{}  epoch {}  {}{}", has_time ? record_time(message.time) + "  " : "",
                     printing::printable(message.session), message.epoch,
                     message.kind == LogKind::Received ? "received " : "", number_of(message));
}

void print_one(std::FILE* out, const LogMessage& message, MessageLook look) {
  switch (look.form) {
    case MessageForm::Line:
      fmt::print(out, "{}  {}\n", heading(message, look.has_times), shown_message(message.bytes));
      return;
    case MessageForm::Json:
      fmt::print(out, "{}\n", json_line(message));
      return;
    case MessageForm::Decoded:
      fmt::print(out, "{}\n", heading(message, look.has_times));
      printing::print_message(out, message.bytes);
      return;
  }
}

bool passes(const LogMessage& message, const MessageFilter& filter) {
  if (message.kind == LogKind::Left) return false;
  if (!(message.kind == LogKind::Received ? filter.has_received : filter.has_sent)) return false;
  if (filter.session && message.session != *filter.session) return false;
  if (filter.epoch && message.epoch != *filter.epoch) return false;
  const std::uint64_t number = number_of(message);
  if (number < filter.first || number > filter.last) return false;
  if (filter.since && message.time < *filter.since) return false;
  if (filter.until && message.time >= *filter.until) return false;
  return filter.text.empty() || message.bytes.find(filter.text) != std::string_view::npos;
}

std::vector<std::string_view> names_in(const store::Store& store) {
  std::vector<std::string_view> names;
  names.reserve(store.session_count());
  for (store::SessionKey key = 0; key < store.session_count(); ++key) {
    names.push_back(store.session_name(key));
  }
  return names;
}

}  // namespace

std::string record_time(WallTime time) {
  std::string text;
  append_utc(text, time, UtcForm::Fix, 6);
  return text;
}

std::string shown_message(std::string_view bytes) { return printing::printable(with_bars(bytes)); }

// JSON cannot hold bytes that are not UTF-8. Then `message` is a readable form of the message, and
// `message_hex` has its bytes.
void set_message(Json& json, std::string_view bytes) {
  if (std::optional<Json> exact = Json::exact(bytes)) {
    json.set("message", std::move(*exact));
    return;
  }
  json.set("message", bytes);
  json.set("message_hex", hex_text(bytes));
}

std::string stored_name(const store::Store& store, const std::string& name) {
  const std::vector<std::string_view> names = names_in(store);
  if (const auto id = session::SessionId::parse(name)) {  // a whole name is no part of another one
    std::string former = id->former_name();
    const bool is_former =
        std::ranges::count(names, name) == 0 && std::ranges::count(names, former) > 0;
    return is_former ? former : name;
  }
  const std::vector<std::size_t> meant = meant_names(names, name);
  return meant.size() == 1 ? std::string{names[meant.front()]} : name;
}

std::expected<store::SessionKey, std::string> find_session(const store::Store& store,
                                                           std::string_view name) {
  std::vector<std::string_view> names = names_in(store);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<store::SessionKey>(found - names.begin());
  return std::unexpected{not_one_session(std::move(names), name)};
}

std::expected<std::uint64_t, std::string> print_messages(std::FILE* out, store::Store& store,
                                                         const MessageFilter& filter,
                                                         MessageLook look) {
  if (filter.session) {
    if (const auto found = find_session(store, *filter.session); !found) {
      return std::unexpected{found.error()};
    }
  }
  std::uint64_t count = 0;
  const auto visit = [&](const store::Store::LogMessage& message) {
    if (!passes(message, filter)) return;
    print_one(out, message, look);
    ++count;
  };
  if (auto scanned = store.scan_all(visit); !scanned) return std::unexpected{scanned.error().text};
  return count;
}

}  // namespace nexusfix::command
