// Resends: stored messages again, in slices, as fast as they may go.
#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

// A resend is served in slices, so that other sessions and heartbeats go on meanwhile.
constexpr std::uint64_t kReplaySlice = 256;
constexpr std::chrono::seconds kRateInterval{1};

// When a stored message was sent first. Nothing: it does not say.
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

// The counterparty's request breaks no rule; the application may have one of its own.
void Runtime::perform(SessionSlot& slot, const session::AskResend& action) {
  ResendAnswer answer;
  const ResendRequest request{.begin_seq_no = action.begin, .end_seq_no = action.end};
  const bool done = run_callback(slot, [&] {
    answer = callbacks_.on_resend_request(callbacks_.application, slot.session, request);
  });
  if (!done) answer = ResendAnswer{};
  slot.resend_answer_text = answer.text();
  slot.machine.on_resend_decision(
      {.kind = answer.kind(), .from = answer.first(), .text = slot.resend_answer_text}, now_);
}

void Runtime::perform(SessionSlot& slot, const session::Replay& action) {
  // What waited behind an earlier resend goes out first: this one repeats it as PossDup, and a
  // number must not come without PossDup after it came with it.
  slot.replay.reset();
  slot.replay_done = false;
  finish_replay(slot);
  slot.replay = ReplayCursor{.next = action.begin, .end = action.end, .serial = ++replay_serial_};
  for (const store::NumberRange& lost : store_->lost_numbers(slot.key)) {
    if (lost.last < action.begin || lost.first > action.end) continue;
    report_.peer(EventId::LostMessagesRequested, slot,
                 "the counterparty asks for numbers " + std::to_string(lost.first) + " to " +
                     std::to_string(lost.last) +
                     ", whose messages the store has lost: it gets a gap fill. Compare with its "
                     "records what was sent under them");
  }
  if (const std::uint64_t until = store_->retired_until(slot.key); action.begin <= until) {
    report_.peer(EventId::RetiredMessagesRequested, slot,
                 "the counterparty asks for numbers from " + std::to_string(action.begin) +
                     " on; messages up to " + std::to_string(until) +
                     " were in segments of the journal that are retired: it gets a gap fill for "
                     "what is not there any more");
  }
  if (!slot.is_replaying) replaying_.push_back(&slot);
  slot.is_replaying = true;
  replay_ready_ = true;
}

void Runtime::serve_replays() {
  if (!replay_ready_ && !replay_fetches_) return;
  replay_ready_ = false;
  replay_fetches_ = false;
  std::erase_if(replaying_, [](SessionSlot* slot) {
    if (!slot->replay) slot->is_replaying = false;
    return !slot->is_replaying;
  });
  // Callbacks may begin others, behind these.
  for (std::size_t i = 0; i < replaying_.size() && !store_failed_; ++i) {
    SessionSlot& slot = *replaying_[i];
    if (!slot.replay || slot.is_given_up) continue;
    if (!with_memory([&] { serve_replay(slot); })) give_up(slot);
  }
}

void Runtime::serve_replay(SessionSlot& slot) {
  const std::size_t bytes_max = replay_bytes_max();
  if (slot.connection == nullptr || slot.connection->outbound.size() > bytes_max) {
    return;  // send_waiting() brings it back.
  }
  if (!has_fetched(slot)) return;
  const std::unique_ptr<store::Fetch> fetch = std::move(slot.replay->fetch);
  const std::uint64_t serial = slot.replay->serial;
  std::uint64_t last = slot.replay->slice_end;
  const std::uint64_t messages_max = slot.replay->messages_max;
  // Copied, because callbacks may append, and nothing may be appended while the store is read.
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
      fetch ? fetch->read(visit) : store_->read(slot.key, slot.replay->next, last, visit);
  const auto goes_on = [&] { return slot.replay && slot.replay->serial == serial; };
  for (const StoredMessage& one : replay_slice_) {
    replay_message(slot, one.msg_seq_num,
                   std::string_view{replay_bytes_}.substr(one.begin, one.size));
    if (!goes_on()) return;  // A reset, a disconnection or another resend ended it.
  }
  if (!deferred_.empty()) transact(slot, [](session::StateMachine&) {});
  if (!goes_on()) return;
  // Reading changes nothing: what is stored stays as good as it was, and others go on.
  if (!read && read.error().code == store::StoreErrorCode::Corrupt) {
    report_.peer(EventId::ResendDamaged, slot,
                 "ALARM in a resend: " + read.error().text +
                     ". The counterparty gets a gap fill for what is missing: compare with its "
                     "records what was sent");
  } else if (!read) {
    report_.session(EventId::ResendUnreadable, slot, "cannot resend: " + read.error().text);
    if (slot.connection != nullptr) {
      close(*slot.connection, EventId::ConnectionClosedUnreadable,
            "closed: its messages cannot be read");
    }
    return;
  }
  if (last == slot.replay->end) {
    slot.replay_done = true;
    transact(slot, [&](session::StateMachine& machine) { machine.on_replay_done(now_); });
  } else {
    slot.replay->next = last + 1;
    replay_ready_ = true;
  }
}

// Chooses the next slice. False: it cannot be read now. The loop never waits for a store whose
// messages are on another machine.
bool Runtime::has_fetched(SessionSlot& slot) {
  ReplayCursor& cursor = *slot.replay;
  if (!cursor.fetch) {
    cursor.messages_max = resends_now_max(slot);
    if (cursor.messages_max == 0) return false;  // run_timers() brings it back.
    cursor.slice_end = std::min(cursor.end, cursor.next + kReplaySlice - 1);
    cursor.fetch = store_->fetch(slot.key, cursor.next, cursor.slice_end, replay_bytes_max());
  }
  if (!cursor.fetch || cursor.fetch->is_done()) return true;
  replay_fetches_ = true;
  return false;
}

// How many messages may be sent again now, by MaxResendsPerSecond, and in one slice.
std::uint64_t Runtime::resends_now_max(SessionSlot& slot) {
  const std::uint32_t rate = slot.settings.limits.resends_per_second_max;
  if (rate == 0) return kReplaySlice;
  if (now_.mono >= slot.resend_window + kRateInterval) {
    slot.resend_window = now_.mono;
    slot.window_resends = 0;
  }
  if (slot.window_resends >= rate) {
    slot.replay_at = slot.resend_window + kRateInterval;
    arm(slot, slot.replay_at);
    return 0;
  }
  return std::min<std::uint64_t>(kReplaySlice, rate - slot.window_resends);
}

// A number that is passed over becomes part of a gap fill.
void Runtime::replay_message(SessionSlot& slot, std::uint64_t msg_seq_num, std::string_view bytes) {
  if (const std::chrono::seconds age_max = slot.settings.limits.resend_age_max;
      age_max.count() != 0) {
    const std::optional<WallTime> time = sent_at(bytes);
    if (time && now_.wall - *time > age_max) return;
  }
  if (callbacks_.on_sending != nullptr) {
    const auto offered = offer(slot, bytes, msg_seq_num, /*is_resend=*/true);
    if (!offered) {
      // What cannot be looked at is not withheld: the resend, and with it the connection, is given
      // up, and asked for again.
      if (offered.error().failure == SendFailure::OutOfMemory) throw std::bad_alloc{};
      if (offered.error().failure == SendFailure::Encode) {
        report_.peer(EventId::ResentMessageNotEdited, slot,
                     "MsgSeqNum " + std::to_string(msg_seq_num) +
                         " is gap-filled: on_sending() wanted " + offered.error().what());
      }
      return;
    }
    bytes = *offered;
  }
  ++slot.window_resends;
  transact(slot, [&](session::StateMachine& machine) {
    machine.on_replay_message(msg_seq_num, bytes, now_);
  });
}

void Runtime::finish_replay(SessionSlot& slot) {
  if (slot.replay || slot.behind_replay.empty()) return;
  const std::span<const char> bytes = slot.behind_replay.waiting();
  transmit(slot, {bytes.data(), bytes.size()});
  slot.behind_replay.clear();
}

}  // namespace nexusfix::engine
