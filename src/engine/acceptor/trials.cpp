// Sessions of templates whose names the store does not know: on trial until their Logon is
// accepted.
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/base/secret.hpp>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kLogon = "A";
// What is kept of a client's messages until it is known which log they belong to.
constexpr std::size_t kTrialBytesMax = 64U << 10U;

}  // namespace

SessionTrial::~SessionTrial() {
  for (Received& one : received) wipe_bytes(one.bytes);
}

// A name that is stored has logged on once, and needs no place.
bool EventLoop::has_dynamic_place(const Connection& connection, const std::string& name) {
  if (store_->find_session(name)) return true;
  using Answer = DynamicNames::Answer;
  const Answer answer = dynamic_names_.connect(name, connection.source);
  if (answer == Answer::Yes) return true;
  report_.unauthenticated(
      EventId::TemplateLimitReached, connection.source, {},
      "no session is made for " + name +
          (answer == Answer::TooMany
               ? ": DynamicSessionsMax of them have been made since the start"
               : ": DynamicSessionsMaxPerAddress of them have been made for its "
                 "address since the start"));
  return false;
}

store::StoreResult<SessionEntry*> EventLoop::make_trial(SessionSettings settings) {
  const std::string name = settings.session.id.to_string();
  if (store_->find_session(name) || doubtful_names_.contains(name)) {
    return make_entry(std::move(settings));
  }
  if (const auto home = seams_.directory ? seams_.directory->home_of(name) : std::nullopt;
      home && *home != loop()) {
    return std::unexpected{
        store::StoreError{store::StoreErrorCode::SessionRefused,
                          name + ": it is stored in loop " + std::to_string(*home)}};
  }
  auto trial = std::make_unique<SessionTrial>();
  trial->numbers = dynamic_names_.numbers(name);
  const std::size_t count = entries_.size();
  try {
    SessionEntry* const entry = add_entry(std::move(settings), trial->numbers);
    entry->trial = std::move(trial);
    entry->log = report_.logs().global();
    if (next_trial_ < kTrialKeysBegin) next_trial_ = kTrialKeysBegin;
    entry->handle_key = next_trial_++;
    trials_.insert_or_assign(entry->handle_key, entry);
    activate(*entry);
    return entry;
  } catch (const std::bad_alloc&) {
    if (entries_.size() > count) destroy(*entries_.back());
    throw;
  }
}

// answer: the MsgType of what is sent. With a Logon it becomes a session like any other; whatever
// else is said to a client that was not let in stays outside of the store.
void EventLoop::end_trial(SessionEntry& entry, std::string_view answer) {
  if (answer != kLogon) return log_trial(entry);
  if (seams_.directory && seams_.directory->settle(entry.name, loop()) != loop()) {
    report_.session(EventId::SessionNotStored, entry,
                    "another event loop has stored it in the meantime");
    throw EventAborted{};
  }
  const auto key = store_->open_session(entry.name, now_.wall);
  if (!key) {
    report_.session(EventId::SessionNotStored, entry, key.error().text);
    throw EventAborted{};
  }
  const std::unique_ptr<SessionTrial> trial = std::move(entry.trial);
  try {
    give_key(entry, *key);
    entry.log = report_.logs().join(entry.settings, data_fields_, now_.wall);
  } catch (const std::bad_alloc&) {
    entry.trial.reset();  // It is stored: its numbers are those of the store.
    throw;
  }
  dynamic_names_.keep(entry.name);
  report_.peer(EventId::SessionMadeOfTemplate, entry, trial->made);
  for (const SessionTrial::Received& one : trial->received) {
    report_.logs().received(entry.log, one.bytes, one.at);
  }
}

void EventLoop::record_trial(SessionEntry& entry) {
  entry.trial->numbers = entry.machine.sequence_numbers();
  entry.inbound_recorded = entry.trial->numbers.next_inbound;
  if (entry.machine.state() != session::State::LogonReceived) log_trial(entry);
}

void EventLoop::log_received(SessionEntry& entry, std::string_view frame) {
  if (entry.trial == nullptr) [[likely]]
    return report_.logs().received(entry.log, frame, now_.wall);
  std::size_t bytes = frame.size();
  for (const SessionTrial::Received& one : entry.trial->received) bytes += one.bytes.size();
  if (bytes > kTrialBytesMax) return report_.logs().unknown(frame, /*is_message=*/true, now_.wall);
  entry.trial->received.push_back({now_.wall, std::string{frame}});
}

// It was not accepted: what came belongs to no session.
void EventLoop::log_trial(SessionEntry& entry) {
  for (SessionTrial::Received& one : entry.trial->received) {
    report_.logs().unknown(one.bytes, /*is_message=*/true, one.at);
    wipe_bytes(one.bytes);
  }
  entry.trial->received.clear();
}

session::Numbers EventLoop::stored_numbers(const SessionEntry& entry) const noexcept {
  if (entry.trial != nullptr) return entry.trial->numbers;
  const store::SessionRecord& stored = store_->session(entry.key);
  return {.next_inbound = stored.next_inbound, .next_outbound = stored.next_outbound};
}

// Null: there is none of that handle.
SessionEntry* EventLoop::entry_of(std::uint32_t handle_key) const noexcept {
  if (handle_key < by_key_.size()) return by_key_[handle_key];
  const auto trial = trials_.find(handle_key);
  return trial == trials_.end() ? nullptr : trial->second;
}

}  // namespace nexusfix::engine
