#include "nexusfix/journal/journal_messages.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <nexusfix/session/session_id.hpp>

#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::size_t kSessionsListed = 20;

std::string with_bars(std::string_view bytes) {
  std::string text{bytes};
  std::ranges::replace(text, '\x01', '|');
  return text;
}

// JSON cannot hold bytes that are not UTF-8. Then `message` is a readable form of the message, and
// `message_hex` has its bytes.
void set_bytes(Json& message, std::string_view bytes) {
  if (std::optional<Json> exact = Json::exact(bytes)) {
    message.set("message", std::move(*exact));
    return;
  }
  message.set("message", bytes);
  message.set("message_hex", hex_text(bytes));
}

std::string json_line(const store::Store::LogMessage& message) {
  Json json = Json::object(
      {{"session", message.session}, {"epoch", message.epoch}, {"number", message.msg_seq_num}});
  set_bytes(json, message.bytes);
  return json.line();
}

void print_one(std::FILE* out, const store::Store::LogMessage& message, MessageForm form) {
  switch (form) {
    case MessageForm::Line:
      fmt::print(out, "{}  epoch {}  {}  {}\n", printing::printable(message.session), message.epoch,
                 message.msg_seq_num, printing::printable(with_bars(message.bytes)));
      return;
    case MessageForm::Json:
      fmt::print(out, "{}\n", json_line(message));
      return;
    case MessageForm::Decoded:
      fmt::print(out, "{}  epoch {}  {}\n", printing::printable(message.session), message.epoch,
                 message.msg_seq_num);
      printing::print_message(out, message.bytes);
      return;
  }
}

}  // namespace

std::string stored_name(const store::Store& store, const std::string& name) {
  const auto has = [&](std::string_view wanted) {
    for (store::SessionKey key = 0; key < store.session_count(); ++key) {
      if (store.session_name(key) == wanted) return true;
    }
    return false;
  };
  const auto id = session::SessionId::parse(name);
  if (!id || has(name)) return name;
  std::string former = id->former_name();
  return has(former) ? former : name;
}

std::expected<store::SessionKey, std::string> find_session(const store::Store& store,
                                                           std::string_view name) {
  std::string known;
  for (store::SessionKey key = 0; key < store.session_count(); ++key) {
    if (store.session_name(key) == name) return key;
    if (key < kSessionsListed) {
      known += (known.empty() ? "" : ", ") + std::string{store.session_name(key)};
    }
  }
  if (store.session_count() > kSessionsListed) known += ", ...";
  return std::unexpected{fmt::format("there is no session '{}' in it; there is: {}", name,
                                     known.empty() ? "none" : known)};
}

std::expected<std::uint64_t, std::string> print_messages(std::FILE* out, store::Store& store,
                                                         const MessageFilter& filter,
                                                         MessageForm form) {
  if (filter.session) {
    if (const auto found = find_session(store, *filter.session); !found) {
      return std::unexpected{found.error()};
    }
  }
  std::uint64_t count = 0;
  const auto visit = [&](const store::Store::LogMessage& message) {
    if (filter.session && message.session != *filter.session) return;
    if (filter.epoch && message.epoch != *filter.epoch) return;
    if (message.msg_seq_num < filter.first || message.msg_seq_num > filter.last) return;
    print_one(out, message, form);
    ++count;
  };
  if (auto scanned = store.scan(visit); !scanned) return std::unexpected{scanned.error().text};
  return count;
}

}  // namespace nexusfix::command
