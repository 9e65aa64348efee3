#include "history_checker.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "store/api/entry.hpp"

namespace nexusfix::simulator::cluster {

std::size_t session_of(std::string_view name) noexcept {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  std::size_t session = kNoNode;
  std::from_chars(name.data() + begin, name.data() + name.size(), session);
  return session;
}

void HistoryChecker::found(std::string_view invariant, std::string text) {
  context_.note("checker", std::string{invariant} + ": " + text);
  context_.violation.found(std::string{invariant}, std::move(text));
}

void HistoryChecker::committed(const Chunk& chunk) {
  for (const LogRecord& record : chunk.records) {
    if (auto applied = table_.apply(record.entries, record.time); !applied) {
      return found("log-damaged", "a record of epoch " + std::to_string(chunk.owner_epoch) +
                                      " is in the log: " + std::string{applied.error()});
    }
    store::EntryReader reader{record.entries};
    for (store::Entry entry; reader.next(entry);) check_entry(entry);
  }
}

void HistoryChecker::check_entry(const store::Entry& entry) {
  if (entry.kind == store::EntryKind::SessionOpened) {
    session_of_key_.push_back(session_of(entry.bytes));
    return;
  }
  const bool is_message = entry.kind == store::EntryKind::OutboundMessage;
  if (!is_message && entry.kind != store::EntryKind::OutboundNumber) return;
  Session& session = sessions_[session_of_key_[entry.session]];
  session.next_outbound = std::max(session.next_outbound, entry.number + 1);
  if (!is_message) return;
  const auto message = read_wire_message(entry.bytes);
  if (!message) return found("log-damaged", "a message in the log is malformed");
  const auto [place, is_new] = session.stored.emplace(entry.number, message->fingerprint);
  if (!is_new && place->second != message->fingerprint) {
    found("number-means-two-things", "MsgSeqNum " + std::to_string(entry.number) +
                                         " was confirmed for another message before");
  }
}

std::optional<std::uint64_t> HistoryChecker::find_message(const Session& session,
                                                          std::uint64_t number) {
  for (const auto* const messages : {&session.stored, &session.lost}) {
    if (const auto found = messages->find(number); found != messages->end()) return found->second;
  }
  return std::nullopt;
}

void HistoryChecker::log_was_cut() {
  for (Session& session : sessions_) session.lost.merge(std::exchange(session.stored, {}));
  session_of_key_.clear();
  table_ = {};
  for (const ChunkPointer& chunk : database_.log()) committed(*chunk);
  for (Session& session : sessions_) {
    std::erase_if(session.lost,
                  [&](const auto& one) { return session.stored.contains(one.first); });
  }
}

void HistoryChecker::bytes_sent(std::uint64_t connection, std::size_t node,
                                std::string_view bytes) {
  std::string& unfinished = unfinished_[connection];
  unfinished += bytes;
  for (;;) {
    const auto size = wire_message_size(unfinished);
    if (!size) return found("malformed", "node " + std::to_string(node) + " sends no FIX");
    if (*size == 0) return;
    const auto message = read_wire_message(std::string_view{unfinished}.substr(0, *size));
    if (!message) return found("malformed", "node " + std::to_string(node) + " sends no FIX");
    context_.count(message->fingerprint);
    check_sent(node, *message);
    unfinished.erase(0, *size);
  }
}

// With clocks within their bounds, and a freeze only between two turns, the former owner's lease
// has ended for itself before another node can have one.
void HistoryChecker::serves(std::size_t node) {
  if (!clocks_are_bounded_ || database_.row().node == node) return;
  found("two-owners", "node " + std::to_string(node) + " serves the sessions, and node " +
                          std::to_string(database_.row().node) + " owns the log");
}

void HistoryChecker::check_sent(std::size_t node, const WireMessage& message) {
  const std::size_t index = session_of(message.target_comp_id);
  if (index >= sessions_.size()) return found("malformed", "a message to no session");
  Session& session = sessions_[index];
  const std::uint64_t number = message.msg_seq_num;
  const std::string text = std::string{message.msg_type} + " with MsgSeqNum " +
                           std::to_string(number) + " on session " + std::to_string(index);
  if (message.gap_fill) {
    const auto hidden = session.stored.lower_bound(number);
    if (hidden != session.stored.end() && hidden->first < message.new_seq_no) {
      found("gap-fill-hides-message", "node " + std::to_string(node) + " fills MsgSeqNum " +
                                          std::to_string(hidden->first) + " on session " +
                                          std::to_string(index));
    }
    if (message.poss_dup) return;
  }
  if (number >= session.next_outbound) {
    found("sent-before-commit",
          "node " + std::to_string(node) + " sends " + text + ", which no COMMIT has confirmed");
  }
  const auto stored = find_message(session, number);
  const bool is_invalid =
      message.is_administrative() ? session.stored.contains(number) : stored != message.fingerprint;
  const auto [place, is_new] = session.sent.emplace(number, message.fingerprint);
  const bool is_again = !message.poss_dup && !is_new && place->second != message.fingerprint;
  if (is_invalid || is_again) {
    found("number-means-two-things",
          "node " + std::to_string(node) + " sends " + text +
              (is_again ? ", which was sent for another message" : ", and the log has another"));
  }
}

void HistoryChecker::taken_over(std::size_t node, const std::set<Recovered>& recovered) {
  // It has lost the log since it claimed it, and finds out with its first COMMIT.
  if (database_.row().node != node && !clocks_are_bounded_) return;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    for (const std::uint64_t number : sessions_[i].delivered) {
      if (recovered.contains({i, number}) || sessions_[i].lost.contains(number)) continue;
      return found("acknowledged-lost", "node " + std::to_string(node) +
                                            " takes over, and lacks MsgSeqNum " +
                                            std::to_string(number) + " of session " +
                                            std::to_string(i) + ", which the counterparty has");
    }
  }
}

std::uint64_t HistoryChecker::order_sent(std::size_t session) {
  orders_.push_back({.session = session});
  return orders_.size();
}

void HistoryChecker::delivered(std::size_t index, std::string_view bytes) {
  const auto message = read_wire_message(bytes);
  if (!message) return found("malformed", "a counterparty gets no FIX");
  Session& session = sessions_[index];
  const std::string text = "session " + std::to_string(index) + " gets MsgSeqNum " +
                           std::to_string(message->msg_seq_num);
  if (find_message(session, message->msg_seq_num) != message->fingerprint) {
    found("number-means-two-things", text + ", and the log has another message");
  }
  ++deliveries_;
  if (!session.delivered.insert(message->msg_seq_num).second) {
    found("delivered-twice", text + " again");
  }
}

void HistoryChecker::report_received(std::size_t session, std::uint64_t order,
                                     std::uint64_t execution) {
  if (order == 0 || order > orders_.size() || orders_[order - 1].session != session) {
    return found("report-invented", "order " + std::to_string(order));
  }
  Order& known = orders_[order - 1];
  if (known.execution != 0) {
    found("order-taken-twice", "order " + std::to_string(order) + " has executions " +
                                   std::to_string(known.execution) + " and " +
                                   std::to_string(execution));
  }
  known.execution = execution;
}

void HistoryChecker::refusal_received(std::size_t session, std::uint64_t order) {
  if (order == 0 || order > orders_.size() || orders_[order - 1].session != session) {
    return found("report-invented", "order " + std::to_string(order));
  }
  orders_[order - 1].is_refused = true;
}

std::string HistoryChecker::unsettled() const {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (orders_[i].execution != 0 || orders_[i].is_refused) continue;
    return "order " + std::to_string(i + 1) + " of session " + std::to_string(orders_[i].session) +
           " has no report";
  }
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    for (const auto& [number, fingerprint] : sessions_[i].stored) {
      if (sessions_[i].delivered.contains(number)) continue;
      return "MsgSeqNum " + std::to_string(number) + " of session " + std::to_string(i) +
             " is not delivered";
    }
  }
  return {};
}

}  // namespace nexusfix::simulator::cluster
