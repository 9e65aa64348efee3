// The ledger's part of checking: starts and ends of processes, promises, deliveries, the end.
#include "simulator/check/checker.hpp"

#include <algorithm>
#include <utility>

namespace nexusfix::simulator {
namespace {

// From the initiator's side, so that both sides use the same name for a session.
std::string link_name(const session::SessionConfig& config) {
  const bool is_initiator = config.role == session::Role::Initiator;
  const session::SessionId& id = config.id;
  return id.begin_string + ' ' + (is_initiator ? id.sender_comp_id : id.target_comp_id) + "->" +
         (is_initiator ? id.target_comp_id : id.sender_comp_id);
}

}  // namespace

void Checker::add_process(std::size_t process, std::string name) {
  if (processes_.size() <= process) processes_.resize(process + 1);
  processes_[process].name = std::move(name);
}

std::uint64_t Checker::epoch_of(const Process& process, const LocalSession& session) const {
  return (process.generation << 32U) | process.inside->record(session.index).epoch;
}

Checker::Ledger* Checker::find_ledger(Direction& direction, std::uint64_t epoch) noexcept {
  for (auto ledger = direction.ledgers.rbegin(); ledger != direction.ledgers.rend(); ++ledger) {
    if (ledger->epoch == epoch) return &*ledger;
  }
  return nullptr;
}

// Whether the ledger is older than the one of the epoch.
bool Checker::is_before(const Direction& direction, const Ledger& ledger,
                        std::uint64_t epoch) noexcept {
  if (ledger.epoch == epoch) return false;
  for (const Ledger& one : direction.ledgers) {
    if (&one == &ledger) {
      return std::ranges::find(direction.ledgers, epoch, &Ledger::epoch) != direction.ledgers.end();
    }
    if (one.epoch == epoch) return false;
  }
  return false;
}

Checker::Ledger& Checker::ledger_of(Link& link, Side sender, std::uint64_t epoch) {
  Direction& direction = link.directions[sender];
  if (Ledger* const found = find_ledger(direction, epoch)) return *found;
  const SideOfLink& own = link.sides[sender];
  const Process& process = processes_[own.process];
  const WallTime created = process.inside->record(own.session).created;
  if (!direction.ledgers.empty()) {
    ++counts_.epochs;
    const bool is_allowed = direction.is_excused || link.sides[0].resets || link.sides[1].resets ||
                            is_scheduled(own.schedule, direction.ledgers.back().created, created);
    if (!is_allowed) {
      found("reset-unasked",
            link.name + ": side " + std::to_string(sender) + " began a new epoch without a reason");
    }
    direction.is_excused = direction.stays_excused;
  }
  if (direction.ledgers.size() == kLedgersMax) direction.ledgers.pop_front();
  direction.ledgers.push_back({.epoch = epoch, .entries = {}, .last = 0, .created = created});
  return direction.ledgers.back();
}

// Only the first of all resets at the end of a session needs a permission.
bool Checker::is_scheduled(const session::Schedule& schedule, WallTime before,
                           WallTime created) noexcept {
  if (schedule.is_non_stop()) return false;
  using std::chrono::seconds;
  return std::chrono::floor<seconds>(before) <
         schedule.at(std::chrono::floor<seconds>(created)).numbers_since;
}

Checker::Entry& Checker::entry_of(Ledger& ledger, std::uint64_t msg_seq_num) {
  if (ledger.entries.size() <= msg_seq_num) {
    ledger.entries.resize(std::max<std::size_t>(msg_seq_num + 1, 2 * ledger.entries.size()));
  }
  ledger.last = std::max(ledger.last, msg_seq_num);
  return ledger.entries[msg_seq_num];
}

std::string Checker::where(const Link& link, Side sender, std::uint64_t msg_seq_num) const {
  return link.name + ", sent by " + processes_[link.sides[sender].process].name + " as number " +
         std::to_string(msg_seq_num);
}

void Checker::process_started(std::size_t index, const CheckedProcess& inside,
                              const config::Settings& settings) {
  Process& process = processes_[index];
  process.inside = &inside;
  process.sessions.clear();
  process.promises.clear();
  process.appended = inside.appended();
  process.keeps_numbers = settings.store == config::StoreKind::Journal &&
                          settings.durability != store::Durability::None;
  for (std::size_t i = 0; i < settings.sessions.size(); ++i) {
    const session::SessionConfig& config = settings.sessions[i].session;
    const auto [link, is_new] = links_by_name_.emplace(link_name(config), links_.size());
    if (is_new) links_.push_back({.name = link->first, .sides = {}, .directions = {}});
    const LocalSession session{.name = config.id.to_string(),
                               .index = i,
                               .link = link->second,
                               .side = config.role == session::Role::Initiator ? Side{0} : Side{1}};
    SideOfLink& side = links_[session.link].sides[session.side];
    side.process = index;
    side.session = i;
    side.is_known = true;
    side.resets |= config.reset.on_logon || config.reset.on_logout || config.reset.on_disconnect;
    side.schedule = settings.sessions[i].schedule;
    side.keeps_messages = config.resend.persist_messages;
    side.is_throttled = settings.sessions[i].throttle.messages_max != 0;
    side.retention = settings.journal_retention;
    process.sessions.push_back(session);
    check_numbers_kept(process, process.sessions.back());
    check_start(process, process.sessions.back());
  }
}

// A loss of power may take a sent message from a journal, but never the fact that its number was
// used.
void Checker::check_numbers_kept(const Process& process, const LocalSession& session) {
  if (!process.keeps_numbers || process.generation == 0) return;
  const store::SessionRecord& record = process.inside->record(session.index);
  const std::uint64_t epoch = (process.generation - 1) << 32U | record.epoch;
  const Link& link = links_[session.link];
  for (const Ledger& ledger : link.directions[session.side].ledgers) {
    if (ledger.epoch != epoch) continue;
    for (std::uint64_t n = record.next_outbound; n < ledger.entries.size(); ++n) {
      if (!ledger.entries[n].was_sent) continue;
      return found("number-reused", where(link, session.side, n) +
                                        ": after its start the next "
                                        "number is " +
                                        std::to_string(record.next_outbound));
    }
  }
}

// What was promised is still known, and what was processed is not expected again.
void Checker::check_start(Process& process, const LocalSession& session) {
  Link& link = links_[session.link];
  const store::SessionRecord& record = process.inside->record(session.index);
  const std::uint64_t epoch = epoch_of(process, session);
  Direction& out = link.directions[session.side];
  if (const Ledger* const ledger = find_ledger(out, epoch);
      ledger != nullptr && !out.is_excused && record.next_outbound <= ledger->last) {
    found("journal-forgot", where(link, session.side, ledger->last) +
                                ": after its start the next number is " +
                                std::to_string(record.next_outbound));
  }
  Direction& in = link.directions[1 - session.side];
  if (in.is_excused) return;
  if (in.safe.receivers == epoch && record.next_inbound < in.safe.next) {
    found("progress-forgotten", link.name + ": " + process.name + " had taken everything below " +
                                    std::to_string(in.safe.next) + " and expects " +
                                    std::to_string(record.next_inbound) + " after its start");
  }
  // A turn that did not end may have been recorded, each of its events completely or not at all.
  Ledger* const ledger = find_ledger(in, in.doubtful.epoch);
  if (ledger == nullptr || in.doubtful.receivers != epoch) return;
  const std::uint64_t end = std::min<std::uint64_t>(record.next_inbound, ledger->entries.size());
  for (std::uint64_t n = 1; n < end; ++n) {
    ledger->entries[n].is_delivered |= ledger->entries[n].was_delivered;
  }
}

void Checker::turn_done(std::size_t index) {
  Process& process = processes_[index];
  const store::LogPosition appended_before =
      std::exchange(process.appended, process.inside->appended());
  record_logouts(process);
  for (const LocalSession& session : process.sessions) record_first_received(process, session);
  if (!process.has_news) return;
  process.has_news = false;
  for (const Promise& promise : process.promises) {
    const LocalSession& session = process.sessions[promise.session];
    Link& link = links_[session.link];
    // A reset in the same turn has ended its epoch.
    const auto& record = process.inside->record(session.index);
    if (promise.msg_seq_num >= record.next_outbound) continue;
    Entry& entry =
        entry_of(ledger_of(link, session.side, epoch_of(process, session)), promise.msg_seq_num);
    entry.is_promised = true;
    entry.position = appended_before;
    if (entry.kind == Entry::Kind::Administrative) {
      found("number-reused", where(link, session.side, promise.msg_seq_num) +
                                 ": the application got this number for its message");
    }
    entry.kind = Entry::Kind::Application;
    ++counts_.promised;
  }
  process.promises.clear();
  for (const LocalSession& session : process.sessions) {
    Direction& in = links_[session.link].directions[1 - session.side];
    in.safe = in.seen;
  }
}

// The sender's epoch that belongs to the receiver's own: a later epoch was begun by the sender
// alone.
void Checker::record_first_received(const Process& process, const LocalSession& session) {
  Link& link = links_[session.link];
  const SideOfLink& sender = link.sides[1 - session.side];
  Position& first = link.directions[1 - session.side].first_taken;
  if (!sender.resets || process.inside->record(session.index).next_inbound == 1) return;
  const std::uint64_t epoch = epoch_of(process, session);
  if (first.receivers == epoch) return;
  const Process& sends = processes_[sender.process];
  first = {.epoch = sends.inside == nullptr ? 0 : epoch_of(sends, sends.sessions[sender.session]),
           .receivers = epoch};
}

void Checker::record_logouts(Process& process) {
  if (!process.unanswered.empty()) {
    found("logout-unanswered", std::exchange(process.unanswered, {}));
  }
  if (!std::exchange(process.has_logouts, false)) return;
  for (LocalSession& session : process.sessions) session.has_logout = false;
}

void Checker::withdraw_deliveries(Direction& direction) {
  Ledger* const ledger = find_ledger(direction, direction.seen.epoch);
  if (ledger != nullptr) {
    const bool is_same = direction.safe.epoch == direction.seen.epoch &&
                         direction.safe.receivers == direction.seen.receivers;
    const std::uint64_t end = std::min<std::uint64_t>(direction.seen.next, ledger->entries.size());
    for (std::uint64_t n = is_same ? direction.safe.next : 1; n < end; ++n) {
      ledger->entries[n].is_delivered = false;
    }
  }
  if (direction.seen.receivers != 0) direction.doubtful = direction.seen;
  direction.seen = direction.safe;
}

void Checker::process_ended(std::size_t index, bool forgets) {
  Process& process = processes_[index];
  process.inside = nullptr;
  process.promises.clear();
  process.unanswered.clear();
  process.has_news = process.has_logouts = false;
  if (forgets) ++process.generation;
  for (const LocalSession& session : process.sessions) {
    Link& link = links_[session.link];
    withdraw_deliveries(link.directions[1 - session.side]);
    if (!forgets) continue;
    for (Direction& direction : link.directions) {
      direction.is_excused = true;
      direction.safe = direction.seen = direction.doubtful = {};
    }
  }
}

void Checker::excuse_for_good(std::size_t index) {
  for (const LocalSession& session : processes_[index].sessions) {
    for (Direction& direction : links_[session.link].directions) {
      direction.is_excused = direction.stays_excused = true;
    }
  }
}

void Checker::allow_reset(std::size_t index) {
  for (const LocalSession& session : processes_[index].sessions) {
    links_[session.link].sides[session.side].resets = true;
  }
}

void Checker::allow_reset_of(std::uint64_t connection) {
  const auto tap = taps_.find(connection);
  if (tap == taps_.end() || tap->second.link == kNone) return;
  for (SideOfLink& side : links_[tap->second.link].sides) side.resets = true;
}

std::optional<std::size_t> Checker::process_of(std::uint64_t connection, Side side) const {
  const auto tap = taps_.find(connection);
  if (tap == taps_.end() || tap->second.link == kNone) return std::nullopt;
  return links_[tap->second.link].sides[side].process;
}

bool Checker::may_reset(std::size_t index, std::string_view name) const {
  for (const LocalSession& session : processes_[index].sessions) {
    if (session.name != name) continue;
    const Link& link = links_[session.link];
    return link.sides[0].resets || link.sides[1].resets || link.directions[0].is_excused ||
           link.directions[1].is_excused;
  }
  return false;
}

std::size_t Checker::promises(std::size_t process) const {
  return processes_[process].promises.size();
}

void Checker::roll_back(std::size_t process, std::size_t mark) {
  processes_[process].promises.resize(mark);
}

void Checker::session_reset(std::size_t index, std::string_view name) {
  Process& process = processes_[index];
  std::erase_if(process.promises, [&](const Promise& promise) {
    return process.sessions[promise.session].name == name;
  });
}

void Checker::logout_received(std::size_t index, std::string_view name) {
  Process& process = processes_[index];
  process.has_logouts = true;
  for (LocalSession& session : process.sessions) session.has_logout |= session.name == name;
}

void Checker::logged_out(std::size_t index, std::size_t session_index, WorldTime now) {
  LocalSession& session = processes_[index].sessions[session_index];
  session.logged_out_at.reset();
  if (session.has_logout) session.logged_out_at = now;
}

// Unless the Logout could not be sent for a while, because the counterparty reads nothing or the
// disk does not take its record.
void Checker::closed_by(std::uint64_t connection, Side side, std::size_t index, bool works,
                        WorldTime now) {
  constexpr WorldTime kTriedFor = std::chrono::milliseconds{1'500};
  const auto tap = taps_.find(connection);
  if (tap == taps_.end() || tap->second.link == kNone) return;
  const Tap::Half& half = tap->second.halves[side];
  if (!half.has_begun) return;  // It was refused: the session has another connection.
  Process& process = processes_[index];
  for (LocalSession& session : process.sessions) {
    if (session.link != tap->second.link || session.side != side) continue;
    const auto logged_out_at = std::exchange(session.logged_out_at, std::nullopt);
    if (!logged_out_at || now - *logged_out_at >= kTriedFor) continue;
    if (!works || half.has_sent_logout) continue;
    process.unanswered = links_[session.link].name + ": " + process.name +
                         " has received a Logout, and closes the connection without one of its own";
  }
}

void Checker::promised(std::size_t index, std::size_t session, std::uint64_t msg_seq_num) {
  processes_[index].promises.push_back({session, msg_seq_num});
  processes_[index].has_news = true;
}

// A sender that did ResetOnLogout, and whose Logout was lost, may have sent more messages than the
// receiver expects when it is back: nothing on the wire separates the two epochs. This follows from
// the key, and is not an error of an engine.
void Checker::pass_over(Ledger& ledger, std::uint64_t before) {
  for (std::uint64_t n = 1; n < before; ++n) ledger.entries[n].is_delivered = true;
}

void Checker::heard(std::size_t index, std::size_t session_index, std::string_view bytes) {
  const std::optional<WireMessage> message = read_wire_message(bytes);
  if (!message) return;
  const Process& process = processes_[index];
  const LocalSession& session = process.sessions[session_index];
  Direction& direction = links_[session.link].directions[1 - session.side];
  const std::uint64_t epoch = epoch_of(process, session);
  if (find_ledger(direction, epoch) == nullptr) {
    if (direction.ledgers.size() == kLedgersMax) direction.ledgers.pop_front();
    direction.ledgers.push_back({.epoch = epoch, .entries = {}, .last = 0, .created = {}});
  }
  Entry& entry = entry_of(*find_ledger(direction, epoch), message->msg_seq_num);
  entry.kind = Entry::Kind::Application;
  entry.fingerprint = message->fingerprint;
  entry.was_sent = true;
}

void Checker::delivered(std::size_t index, std::size_t session_index, std::string_view bytes) {
  Process& process = processes_[index];
  const LocalSession& session = process.sessions[session_index];
  Link& link = links_[session.link];
  const Side sender = static_cast<Side>(1 - session.side);
  Direction& direction = link.directions[sender];
  process.has_news = true;
  ++counts_.delivered;
  const std::optional<WireMessage> message = read_wire_message(bytes);
  if (!message) return found("message-altered", link.name + ": delivered bytes are no message");
  const std::uint64_t n = message->msg_seq_num;
  // Its epoch is the newest one in which the number means this message.
  Ledger* ledger = nullptr;
  for (Ledger& one : direction.ledgers) {
    if (n < one.entries.size() && one.entries[n].fingerprint == message->fingerprint) {
      ledger = &one;
    }
  }
  if (ledger == nullptr || !ledger->entries[n].was_sent) {
    return found(
        "message-invented",
        where(link, sender, n) + ": the delivered message was never sent under this number");
  }
  Entry& entry = ledger->entries[n];
  if (entry.was_delivered) {
    ++counts_.delivered_again;
    if (!message->poss_dup) {
      return found("duplicate-not-marked",
                   where(link, sender, n) + ": delivered again without PossDupFlag");
    }
  }
  // A receiver that has reset its sequence numbers alone (by ResetOnLogout, when the other side has
  // not seen its Logout) gets all messages again, with PossDupFlag, as was checked above.
  const std::uint64_t receivers = epoch_of(process, session);
  if (direction.seen.receivers == receivers && !direction.is_excused &&
      is_before(direction, *ledger, direction.seen.epoch)) {
    return found("epoch-broken", where(link, sender, n) +
                                     ": of an epoch that is over, delivered after a message of the "
                                     "next one");
  }
  if (direction.seen.epoch != ledger->epoch || direction.seen.receivers != receivers) {
    const Position& first = direction.first_taken;
    const bool is_later =
        first.receivers == receivers && first.epoch != 0 && first.epoch < ledger->epoch;
    const bool has_taken = direction.seen.receivers == receivers && direction.seen.epoch != 0;
    const bool reset_alone = link.sides[sender].resets && (has_taken || is_later);
    direction.seen = {.epoch = ledger->epoch, .next = 1, .receivers = receivers};
    if (reset_alone) pass_over(*ledger, n);
  }
  if (direction.is_excused) {
    direction.seen.next = std::max(direction.seen.next, n + 1);
  } else if (n < direction.seen.next) {
    return found("order-broken", where(link, sender, n) + ": delivered after number " +
                                     std::to_string(direction.seen.next - 1));
  }
  for (std::uint64_t m = direction.seen.next; m < n && !direction.is_excused; ++m) {
    const Entry& skipped = ledger->entries[m];
    if (skipped.kind == Entry::Kind::Application && !skipped.is_delivered && !skipped.is_retired) {
      return found("message-skipped", where(link, sender, m) + ": not delivered, and number " +
                                          std::to_string(n) + " is");
    }
  }
  entry.is_delivered = true;
  entry.was_delivered = true;
  direction.seen.next = n + 1;
}

std::string Checker::unsettled() const {
  for (const Link& link : links_) {
    if (std::string text = unsettled(link); !text.empty()) return text;
  }
  return {};
}

std::string Checker::unsettled(const Link& link) const {
  std::array<session::Numbers, 2> numbers;
  for (Side side = 0; side < 2; ++side) {
    const SideOfLink& one = link.sides[side];
    if (!one.is_known) return link.name + ": it has one side only";
    const CheckedProcess* const inside = processes_[one.process].inside;
    if (inside == nullptr) return link.name + ": " + processes_[one.process].name + " is down";
    if (!inside->is_logged_on(one.session)) {
      return link.name + ": " + processes_[one.process].name + " is not logged on";
    }
    numbers[side] = inside->numbers(one.session);
  }
  for (Side side = 0; side < 2; ++side) {
    const std::string& name = processes_[link.sides[side].process].name;
    if (numbers[side].next_outbound != numbers[1 - side].next_inbound) {
      return link.name + ": the next number of " + name + " is " +
             std::to_string(numbers[side].next_outbound) + ", and the other side expects " +
             std::to_string(numbers[1 - side].next_inbound);
    }
    const Direction& direction = link.directions[side];
    if (direction.ledgers.empty() || direction.is_excused) continue;
    const Ledger& ledger = direction.ledgers.back();
    for (std::uint64_t n = 1; n < ledger.entries.size(); ++n) {
      const Entry& entry = ledger.entries[n];
      if (entry.is_promised && !entry.is_delivered && !entry.is_retired) {
        return where(link, side, n) + ": promised, and not delivered";
      }
    }
  }
  return {};
}

std::uint64_t Checker::memory_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Link& link : links_) {
    for (const Direction& direction : link.directions) {
      for (const Ledger& ledger : direction.ledgers) {
        sum += ledger.entries.capacity() * sizeof(Entry);
      }
    }
  }
  return sum;
}

}  // namespace nexusfix::simulator
