// Resends: stored messages are sent again, in slices, at the permitted rate.
#include "engine/session/sending/resend_server.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "engine/ground/charge.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// A resend is served in slices of this number of messages, so that other sessions and heartbeats go
// on meanwhile. The first slice has as many MsgSeqNums.
constexpr std::uint64_t kReplaySlice = 256;
constexpr std::uint64_t kSliceNumbersMax = std::uint64_t{1} << 40U;

// When a stored message was first sent. No value: it has no readable SendingTime.
std::optional<WallTime> sent_at(std::string_view stored) noexcept {
  constexpr std::string_view kSendingTime{
      "\x01"
      "52="};
  const std::size_t at = stored.find(kSendingTime);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = stored.substr(at + kSendingTime.size());
  const auto time = wire::convert<WallTime>(rest.substr(0, rest.find(wire::kSoh)));
  if (!time) return std::nullopt;
  return *time;
}

}  // namespace

// The request breaks no rule of the session layer; the application may have its own rules.
void ResendServer::perform(SessionEntry& entry, const session::AskResend& action) {
  ResendAnswer answer;
  const ResendRequest request{.begin_seq_no = action.begin, .end_seq_no = action.end};
  const bool done = sessions_.transactor.run_callback(entry, [&] {
    answer = loop_.callbacks.on_resend_request(loop_.callbacks.application, entry.session, request);
  });
  if (!done) answer = ResendAnswer{};
  entry.resend.answer_text_ = answer.text();
  entry.machine.on_resend_decision(
      {.kind = answer.kind(), .from = answer.first(), .text = entry.resend.answer_text_},
      loop_.now());
}

void ResendServer::perform(SessionEntry& entry, const session::Replay& action) {
  // Messages that waited for the end of an earlier resend are sent first. This resend repeats them
  // with PossDupFlag, and a MsgSeqNum must not come without PossDupFlag after it came with it.
  entry.resend.cursor_.reset();
  entry.resend.is_done_ = false;
  finish_replay(entry);
  entry.resend.cursor_ = ReplayCursor{.next = action.begin,
                                      .end = action.end,
                                      .serial = ++replay_serial_,
                                      .numbers_max = kReplaySlice};
  for (const store::NumberRange& lost : io_.commit.store().lost_numbers(entry.stored.key())) {
    if (lost.last < action.begin || lost.first > action.end) continue;
    loop_.report.peer(
        EventId::LostMessagesRequested, entry,
        "the counterparty asks for numbers " + std::to_string(lost.first) + " to " +
            std::to_string(lost.last) +
            ", whose messages the store has lost: it gets a gap fill. Compare with its "
            "records what was sent under them");
  }
  if (const std::uint64_t until = io_.commit.store().retired_until(entry.stored.key());
      action.begin <= until) {
    loop_.report.peer(
        EventId::RetiredMessagesRequested, entry,
        "the counterparty asks for numbers from " + std::to_string(action.begin) +
            " on; messages up to " + std::to_string(until) +
            " were in segments of the journal that are retired: it gets a gap fill for "
            "what is not there any more");
  }
  if (!entry.resend.is_listed_) replaying_.push_back(&entry);
  entry.resend.is_listed_ = true;
  loop_.work.set(Work::Resends);
}

void ResendServer::serve_all() {
  loop_.work.clear(Work::Resends);
  replay_fetches_ = false;
  std::erase_if(replaying_, [](SessionEntry* entry) {
    if (!entry->resend.cursor_) entry->resend.is_listed_ = false;
    return !entry->resend.is_listed_;
  });
  // Callbacks may begin other resends, which are appended.
  for (std::size_t i = 0; i < replaying_.size() && !io_.commit.has_failed(); ++i) {
    SessionEntry& entry = *replaying_[i];
    if (!entry.resend.cursor_ || entry.abort.is_pending()) continue;
    loop_.boundary.run(entry, [&] { charge(loop_, entry, [&] { serve_replay(entry); }); });
  }
}

void ResendServer::serve_replay(SessionEntry& entry) {
  const std::size_t bytes_max = loop_.shared.budget->replay_bytes_max();
  if (entry.connection() == nullptr || entry.connection()->outbound().size() > bytes_max) {
    return;  // When the bytes have left, Connections::send_waiting() sets Work::Resends.
  }
  if (!has_fetched(entry)) return;
  const std::unique_ptr<store::Store::Fetch> fetch = std::move(entry.resend.cursor_->fetch);
  const std::uint64_t serial = entry.resend.cursor_->serial;
  std::uint64_t last = entry.resend.cursor_->slice_end;
  const std::uint64_t messages_max = entry.resend.cursor_->messages_max;
  // Copied, because callbacks may append to the store, which must not change while it is read.
  replay_slice_.clear();
  replay_bytes_.clear();
  const auto visit = [&](std::uint64_t msg_seq_num, std::string_view bytes) {
    replay_slice_.push_back({msg_seq_num, replay_bytes_.size(), bytes.size()});
    replay_bytes_.append(bytes);
    if (replay_bytes_.size() < bytes_max && replay_slice_.size() < messages_max) return true;
    last = msg_seq_num;
    return false;
  };
  const auto read =
      fetch ? fetch->read(visit)
            : io_.commit.store().read(entry.stored.key(), entry.resend.cursor_->next, last, visit);
  const auto goes_on = [&] {
    return entry.resend.cursor_ && entry.resend.cursor_->serial == serial;
  };
  for (const StoredMessage& one : replay_slice_) {
    replay_message(entry, one.msg_seq_num,
                   std::string_view{replay_bytes_}.substr(one.begin, one.size));
    if (!goes_on()) return;  // A reset, a disconnection or another resend ended it.
  }
  sessions_.transactor.run_deferred_commands(entry);
  if (!goes_on()) return;
  // A failed read changes nothing: the stored messages stay as they are, and other sessions go on.
  if (!read && read.error().code == store::StoreErrorCode::Corrupt) {
    loop_.report.peer(
        EventId::ResendDamaged, entry,
        "ALARM in a resend: " + read.error().text +
            ". The counterparty gets a gap fill for what is missing: compare with its "
            "records what was sent");
  } else if (!read) {
    loop_.report.session(EventId::ResendUnreadable, entry, "cannot resend: " + read.error().text);
    if (entry.connection() != nullptr) {
      io_.connections.end(*entry.connection(), EventId::ConnectionClosedUnreadable,
                          "closed: its messages cannot be read");
    }
    return;
  }
  if (last == entry.resend.cursor_->end) {
    entry.resend.is_done_ = true;
    sessions_.transactor.transact(
        entry, [&](session::StateMachine& machine) { machine.on_replay_done(loop_.now()); });
  } else {
    choose_next_slice(*entry.resend.cursor_, last);
    loop_.work.set(Work::Resends);
  }
}

// MsgSeqNums may have no message over millions: skipped, lost, or used by Heartbeats. Each store
// call costs a round trip where the messages are on another machine.
void ResendServer::choose_next_slice(ReplayCursor& cursor, std::uint64_t last) const {
  if (last < cursor.slice_end) {
    cursor.numbers_max = std::max(kReplaySlice, last - cursor.next + 1);
  } else if (replay_slice_.size() < kReplaySlice / 2) {
    cursor.numbers_max = std::min(2 * cursor.numbers_max, kSliceNumbersMax);
  }
  cursor.next = last + 1;
}

// Chooses the next slice. False: it cannot be read now. The loop never waits for a store that has
// its messages on another machine.
bool ResendServer::has_fetched(SessionEntry& entry) {
  ReplayCursor& cursor = *entry.resend.cursor_;
  if (!cursor.fetch) {
    cursor.messages_max = resends_now_max(entry);
    if (cursor.messages_max == 0) return false;  // The session's timer continues the resend.
    cursor.slice_end = cursor.end - cursor.next < cursor.numbers_max
                           ? cursor.end
                           : cursor.next + cursor.numbers_max - 1;
    cursor.fetch = io_.commit.store().fetch(entry.stored.key(), cursor.next, cursor.slice_end,
                                            loop_.shared.budget->replay_bytes_max());
  }
  if (!cursor.fetch || cursor.fetch->is_done()) return true;
  replay_fetches_ = true;
  return false;
}

// The number of messages that may be sent again now, in one slice and by MaxResendsPerSecond
// and OutboundMessages.
std::uint64_t ResendServer::resends_now_max(SessionEntry& entry) {
  const std::uint32_t rate = entry.settings().limits.resends_per_second_max;
  std::uint64_t most = kReplaySlice;
  MonoTime resumes_at = MonoTime::min();
  if (rate != 0) {
    SecondLimit& sent = entry.resend.sent_;
    sent.begin(loop_.now().mono);
    most = std::min<std::uint64_t>(most, rate - std::min(rate, sent.counted()));
    if (most == 0) resumes_at = sent.ends_at();
  }
  if (entry.outbound_limit && entry.outbound_limit->windows.all().is_set()) {
    const Throttle& all = entry.outbound_limit->windows.all();
    const MonoTime pair_at = all.next_at(2);  // A gap fill may leave before each message.
    if (pair_at > loop_.now().mono) resumes_at = std::max(resumes_at, pair_at);
    const std::uint64_t free = all.allowed(loop_.now().mono, 2 * most);
    most = pair_at > loop_.now().mono ? 0 : (free + (free == 1 ? 1 : 0)) / 2;
  }
  if (most == 0) {
    entry.resend.resumes_at_ = resumes_at;
    loop_.arm(entry, resumes_at);
  }
  return most;
}

// A MsgSeqNum that is skipped becomes part of a gap fill.
void ResendServer::replay_message(SessionEntry& entry, std::uint64_t msg_seq_num,
                                  std::string_view bytes) {
  if (const std::chrono::seconds age_max = entry.settings().limits.resend_age_max;
      age_max.count() != 0) {
    const std::optional<WallTime> time = sent_at(bytes);
    if (time && loop_.now().wall - *time > age_max) return;
  }
  if (loop_.callbacks.on_sending != nullptr) {
    const auto offered = sessions_.outbox.offer(entry, bytes, msg_seq_num, /*is_resend=*/true);
    if (!offered) {
      if (offered.error().failure == SendFailure::Encode) {
        loop_.report.peer(EventId::ResentMessageNotEdited, entry,
                          "MsgSeqNum " + std::to_string(msg_seq_num) +
                              " is gap-filled: on_sending() wanted " + offered.error().what());
      }
      return;
    }
    bytes = *offered;
  }
  entry.resend.sent_.count();
  sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
    machine.on_replay_message(msg_seq_num, bytes, loop_.now());
  });
}

void ResendServer::finish_replay(SessionEntry& entry) {
  if (entry.resend.cursor_) return;
  if (entry.outbound_limit) loop_.arm(entry, loop_.now().mono);  // Messages may wait for this.
  if (entry.resend.queued_.empty()) return;
  const std::span<const char> bytes = entry.resend.queued_.waiting();
  sessions_.outbox.transmit(entry, {bytes.data(), bytes.size()});
  entry.resend.queued_.clear();
}

void ResendServer::show_stored(const SessionEntry& entry, std::uint64_t msg_seq_num,
                               store::Store::MessageVisitor visit) {
  store::Store& store = io_.commit.store();
  if (store.fetch(entry.stored.key(), msg_seq_num, msg_seq_num, 1) != nullptr) return;
  // An event of a Reject does not report a damaged store: the next resend does.
  static_cast<void>(store.read(entry.stored.key(), msg_seq_num, msg_seq_num, visit));
}

void ResendServer::give_back(std::size_t bytes_max) {
  if (replay_bytes_.empty() && replay_bytes_.capacity() > bytes_max) {
    std::string{}.swap(replay_bytes_);
  }
}

}  // namespace nexusfix::engine
