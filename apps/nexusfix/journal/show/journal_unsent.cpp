#include "nexusfix/journal/show/journal_unsent.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/api/printable_text.hpp"
#include "nexusfix/journal/journal_messages.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

// Without a mark everything counts as unsent, and a journal has millions of messages.
class Search {
 public:
  void add(const store::Store::LogMessage& message) {
    const auto found = places_.try_emplace(std::string{message.session}, sessions_.size());
    if (found.second) sessions_.push_back({.session = std::string{message.session}});
    UnsentOfSession& one = sessions_[found.first->second];
    if (message.epoch != one.epoch) {
      one.epoch = message.epoch;
      one.left_until = 0;
      one.messages.clear();
    }
    switch (message.kind) {
      case store::Store::LogKind::Received:
        return;
      case store::Store::LogKind::Left:
        return mark(one, message);
      case store::Store::LogKind::Sent:
        if (message.msg_seq_num < one.left_until) return;
        one.messages.push_back({message.msg_seq_num, message.time, std::string{message.bytes}});
    }
  }
  [[nodiscard]] bool has_marks() const noexcept { return has_marks_; }
  [[nodiscard]] std::vector<UnsentOfSession> take() { return std::move(sessions_); }

 private:
  void mark(UnsentOfSession& one, const store::Store::LogMessage& message) {
    has_marks_ = true;
    one.marked_at = message.time;
    one.left_until = std::max(one.left_until, message.msg_seq_num);
    std::erase_if(one.messages,
                  [&](const UnsentMessage& unsent) { return unsent.msg_seq_num < one.left_until; });
  }

  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<UnsentOfSession> sessions_;
  bool has_marks_ = false;
};

}  // namespace

std::expected<std::vector<UnsentOfSession>, std::string> find_unsent(store::Store& store,
                                                                     const std::string& session) {
  if (!session.empty()) {
    if (const auto found = find_session(store, session); !found) {
      return std::unexpected{found.error()};
    }
  }
  Search search;
  const auto visit = [&](const store::Store::LogMessage& message) {
    if (session.empty() || message.session == session) search.add(message);
  };
  if (auto scanned = store.scan_all(visit); !scanned) return std::unexpected{scanned.error().text};
  if (!search.has_marks()) {
    return std::unexpected{
        "the log does not say which messages have left: JournalInbound=Y records it from the first "
        "Heartbeat of a connection on"};
  }
  return search.take();
}

std::string unsent_text(const std::vector<UnsentOfSession>& sessions) {
  std::string text;
  for (const UnsentOfSession& one : sessions) {
    text += fmt::format("{}  epoch {}: {}\n", printable(one.session), one.epoch,
                        one.messages.empty()
                            ? "nothing is unsent"
                            : counted(one.messages.size(), "message") + " may not have left");
    text += one.left_until == 0 ? "  the log does not say what has left in this epoch\n"
                                : fmt::format("  what is below MsgSeqNum {} has left, as of {}\n",
                                              one.left_until, record_time(one.marked_at));
    for (const UnsentMessage& message : one.messages) {
      text += fmt::format("  {}  {}  {}\n", message.msg_seq_num, record_time(message.time),
                          shown_message(message.bytes));
    }
  }
  return text;
}

std::string unsent_json(const std::vector<UnsentOfSession>& sessions) {
  return Json::array(sessions,
                     [](const UnsentOfSession& one) {
                       Json json = Json::object({{"session", one.session}, {"epoch", one.epoch}});
                       if (one.left_until != 0) {
                         json.set("left_until", one.left_until);
                         json.set("as_of", record_time(one.marked_at));
                       }
                       json.set("messages",
                                Json::array(one.messages, [](const UnsentMessage& message) {
                                  Json item = Json::object({{"number", message.msg_seq_num},
                                                            {"time", record_time(message.time)}});
                                  set_message(item, message.bytes);
                                  return item;
                                }));
                       return json;
                     })
      .document();
}

}  // namespace nexusfix::command
