// The wire's part of checking: every byte that a process sends.
#include <algorithm>
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
