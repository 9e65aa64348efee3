// The wire's part of checking: every byte that a process sends.
#include <algorithm>
#include <chrono>
#include <utility>

#include "simulator/check/checker.hpp"

namespace nexusfix::simulator {

void Checker::bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                         std::string_view bytes) {
  Tap& tap = taps_[connection];
  std::string& partial = tap.halves[side].partial;
  std::string_view rest = bytes;
  if (!partial.empty()) {
    partial += bytes;
    rest = partial;
  }
  while (!rest.empty()) {
    const std::optional<std::size_t> size = wire_message_size(rest);
    if (!size)
      return found("stream-malformed", processes_[process].name + " sent bytes that are no FIX");
    if (*size == 0) break;
    check_message(tap, side, process, rest.substr(0, *size));
    rest.remove_prefix(*size);
  }
  if (partial.empty()) {
    partial = rest;
  } else {
    partial.erase(0, partial.size() - rest.size());
  }
}

void Checker::check_message(Tap& tap, Side side, std::size_t process_index,
                            std::string_view bytes) {
  ++counts_.wire_messages;
  const Process& process = processes_[process_index];
  const std::optional<WireMessage> message = read_wire_message(bytes);
  if (!message) return found("stream-malformed", process.name + " sent a malformed message");
  if (trace_.is_on()) {
    std::string text =
        "> " + std::string{message->msg_type} + " 34=" + std::to_string(message->msg_seq_num);
    if (message->poss_dup) text += " 43=Y";
    if (message->new_seq_no != 0) text += " 36=" + std::to_string(message->new_seq_no);
    if (message->reset_flag) text += " 141=Y";
    trace_.line(process.name, text + "   " + std::string{message->sender_comp_id} + "->" +
                                  std::string{message->target_comp_id});
  }
  if (tap.link == kNone) {
    const bool is_initiators = side == 0;
    std::string name{message->begin_string};
    name += ' ';
    name += is_initiators ? message->sender_comp_id : message->target_comp_id;
    name += "->";
    name += is_initiators ? message->target_comp_id : message->sender_comp_id;
    const auto link = links_by_name_.find(name);
    if (link == links_by_name_.end()) {
      return found("session-unknown", process.name + " sent a message of no session: " + name);
    }
    tap.link = link->second;
  }
  Link& link = links_[tap.link];
  Tap::Half& half = tap.halves[side];
  // The process's side of a session is found by its link.
  const bool resets_within = message->msg_type == "A" && message->reset_flag &&
                             message->msg_seq_num == 1 && !message->poss_dup && half.has_begun;
  if (!half.has_begun || resets_within) {
    const SideOfLink& own = link.sides[side];
    const std::uint64_t epoch = epoch_of(process, process.sessions[own.session]);
    // Two resets may happen in one turn, and the bytes of both are sent at its end.
    half.epoch = half.has_begun ? std::min(half.epoch + 1, epoch) : epoch;
    half.last_fresh = 0;
    half.has_begun = true;
  }
  check_sent(link, half, side, *message);
}

void Checker::check_sent(Link& link, Tap::Half& half, Side side, const WireMessage& message) {
  if (watches_orders_) check_orders_answered(link, half, side, message);
  Ledger& ledger = ledger_of(link, side, half.epoch);
  const std::uint64_t n = message.msg_seq_num;
  if (message.msg_type == "5") half.has_sent_logout = true;
  if (message.poss_dup) ++counts_.resent;
  if (message.msg_type == "4") {
    if (!message.gap_fill) {
      return found("reset-unasked", where(link, side, n) + ": a SequenceReset-Reset");
    }
    return check_gap_fill(link, ledger, side, message);
  }
  if (message.poss_dup && message.is_administrative()) {
    return found("administrative-resent",
                 where(link, side, n) + ": MsgType " + std::string{message.msg_type});
  }
  Entry& entry = entry_of(ledger, n);
  if (!message.poss_dup) {
    if (entry.was_sent) {
      return found("number-reused", where(link, side, n) + ": sent twice without PossDupFlag");
    }
    if (n <= half.last_fresh) {
      return found("number-reused",
                   where(link, side, n) + ": after number " + std::to_string(half.last_fresh));
    }
    half.last_fresh = n;
  }
  const Entry::Kind kind =
      message.is_administrative() ? Entry::Kind::Administrative : Entry::Kind::Application;
  if ((entry.was_sent && entry.fingerprint != message.fingerprint) ||
      (entry.kind != Entry::Kind::Unknown && entry.kind != kind)) {
    return found("number-reused", where(link, side, n) + ": it meant another message before");
  }
  entry.kind = kind;
  entry.fingerprint = message.fingerprint;
  entry.was_sent = true;
}

void Checker::bytes_received(std::uint64_t connection, Side side, std::string_view bytes,
                             WorldTime now) {
  constexpr std::size_t kReceivedMax = 4'096;
  const auto tap = taps_.find(connection);
  if (!watches_orders_ || tap == taps_.end()) return;
  Tap::Half& half = tap->second.halves[side];
  half.partly_received += bytes;
  std::string_view rest = half.partly_received;
  while (!rest.empty()) {
    const std::optional<std::size_t> size = wire_message_size(rest);
    if (!size) return half.partly_received.clear();  // Fault::Alter
    if (*size == 0) break;
    if (half.received.size() == kReceivedMax && !half.refused_at) half.received.clear();
    const std::optional<WireMessage> message = read_wire_message(rest.substr(0, *size));
    if (message && !message->poss_dup) {
      const bool is_order = message->msg_type == "D";
      half.received.push_back({.msg_seq_num = message->msg_seq_num,
                               .at = now,
                               .cl_ord_id = std::string{is_order ? message->cl_ord_id : ""},
                               .is_answered = false});
    }
    rest.remove_prefix(*size);
  }
  half.partly_received.erase(0, half.partly_received.size() - rest.size());
}

// After a wrong SendingTime the engine answers what is in flight for a second, and then says
// Logout. Messages without a gap follow the first refused order in sequence. Not earlier: a message
// of the session layer is refused whatever its number is.
void Checker::check_orders_answered(const Link& link, Tap::Half& half, Side side,
                                    const WireMessage& message) {
  constexpr WorldTime kAnswered = std::chrono::milliseconds{900};
  if (message.poss_dup || link.sides[side].is_throttled) return;
  if (message.msg_type == "3" || message.msg_type == "j" || message.msg_type == "8") {
    for (std::size_t i = 0; i < half.received.size(); ++i) {
      Received& one = half.received[i];
      if (one.cl_ord_id.empty()) continue;
      const bool is_report = message.msg_type == "8";
      if (is_report ? one.cl_ord_id != message.cl_ord_id : one.msg_seq_num != message.ref_seq_num) {
        continue;
      }
      one.is_answered = true;
      const bool is_refused = message.msg_type == "3" && message.text.starts_with("SendingTime ");
      if (is_refused && !half.refused_at) half.refused_at = i;
    }
    return;
  }
  if (message.msg_type != "5" || !half.refused_at) return;
  const std::size_t first = *std::exchange(half.refused_at, std::nullopt);
  for (std::size_t i = first + 1; i < half.received.size(); ++i) {
    const Received& one = half.received[i];
    const bool is_next = one.msg_seq_num == half.received[i - 1].msg_seq_num + 1;
    if (!is_next || one.at - half.received[first].at > kAnswered) return;
    if (one.cl_ord_id.empty() || one.is_answered) continue;
    return found("logout-before-answer",
                 where(link, static_cast<Side>(1 - side), one.msg_seq_num) +
                     ": an order that was received before the Logout, and has no answer");
  }
}

// A gap fill replaces messages that are not sent again. None of them may be an application message
// that the rules of the sender's journal keep.
void Checker::check_gap_fill(Link& link, Ledger& ledger, Side side, const WireMessage& message) {
  if (message.new_seq_no <= message.msg_seq_num) {
    return found("gap-fill-wrong", where(link, side, message.msg_seq_num) + ": NewSeqNo is " +
                                       std::to_string(message.new_seq_no));
  }
  if (!link.sides[side].keeps_messages) return;
  const std::uint64_t end = std::min<std::uint64_t>(message.new_seq_no, ledger.entries.size());
  for (std::uint64_t n = message.msg_seq_num; n < end; ++n) {
    Entry& entry = ledger.entries[n];
    if (entry.kind != Entry::Kind::Application) continue;
    if (!may_be_retired(link, ledger, side, n)) {
      return found("gap-fill-wrong",
                   where(link, side, n) + ": an application message is gap-filled");
    }
    if (!std::exchange(entry.is_retired, true)) ++counts_.retired;
  }
}

// A message of the current epoch is retired only by size, if the settings rank size higher, and if
// the store says so. For an epoch that has ended, the store does not know.
bool Checker::may_be_retired(const Link& link, const Ledger& ledger, Side side,
                             std::uint64_t msg_seq_num) const {
  const SideOfLink& own = link.sides[side];
  if (own.retention.keep_bytes == 0 || !own.retention.even_current) return false;
  const Process& process = processes_[own.process];
  const LocalSession& session = process.sessions[own.session];
  const bool is_possible = ledger.epoch != epoch_of(process, session) ||
                           msg_seq_num <= process.inside->retired_until(session.index);
  return is_possible && ledger.entries[msg_seq_num].position + own.retention.keep_bytes <=
                            process.inside->appended();
}

}  // namespace nexusfix::simulator
