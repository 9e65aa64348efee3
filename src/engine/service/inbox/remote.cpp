#include <memory>
#include <new>
#include <string>
#include <utility>

#include <nexusfix/engine/remote.hpp>

#include "engine/service/inbox/inbox_state.hpp"

namespace nexusfix::engine {
namespace {

// A slot keeps memory up to this message: kCapacity slots keep 4 MiB at most.
constexpr std::size_t kKeptBytesMax = 4096;

// A message in its slot. It stays there for the next message, for the sake of its memory: a block
// that one thread allocates and another one frees costs both a lock of the allocator.
struct RemoteMessage {
  wire::DraftFields fields;
  detail::SendFields send = nullptr;
  ResultCallback on_result;
};
static_assert(sizeof(RemoteMessage) <= Mailbox::kTaskBytesMax);

RemoteMessage& message_in(void* slot) noexcept {
  return *std::launder(static_cast<RemoteMessage*>(slot));
}

constexpr detail::TaskKind kRemoteMessage{
    .run =
        [](void* task, Session& session, PostResult& result) {
          const RemoteMessage& message = message_in(task);
          detail::note_result(result, message.send(session, message.fields));
        },
    .destroy =
        [](void* task) noexcept {
          RemoteMessage& message = message_in(task);
          message.on_result.reset();
          if (message.fields.body().size() > kKeptBytesMax || message.fields.has_password()) {
            message.fields = wire::DraftFields{};
          }
        },
    .report =
        [](void* task, const PostResult& result) {
          RemoteMessage& message = message_in(task);
          if (!message.on_result) return false;
          message.on_result(result);
          return true;
        },
    .discard = [](void* task) noexcept { std::destroy_at(&message_in(task)); }};

}  // namespace

std::string_view to_string(RemoteFailure failure) noexcept {
  switch (failure) {
    case RemoteFailure::Invalid:
      return "the draft is no valid message";
    case RemoteFailure::Full:
      return "the messages of this remote wait for the event loop: send more slowly";
    case RemoteFailure::NoSession:
      return "the session was removed from the engine";
    case RemoteFailure::Stopped:
      break;
  }
  return "the engine has ended";
}

std::string RemoteError::what() const {
  if (failure == RemoteFailure::Invalid) return draft.what();
  if (failure == RemoteFailure::Full) {
    return std::to_string(Remote::kCapacity) +
           " messages of this remote wait for the event loop: send more slowly";
  }
  return std::string{to_string(failure)};
}

std::string_view to_string(LogonWait end) noexcept {
  switch (end) {
    case LogonWait::LoggedOn:
      return "the session is logged on";
    case LogonWait::TimedOut:
      return "the session is not logged on, and the timeout is over";
    case LogonWait::NoSession:
      return "the session was removed from the engine";
    case LogonWait::Stopped:
      return "the engine has ended";
    case LogonWait::WithinLoop:
      return "a thread that serves an event loop cannot wait for it";
  }
  return "unknown";
}

namespace detail {

RemoteState::RemoteState(std::shared_ptr<RemoteDirectory> all, std::shared_ptr<RemoteSession> one)
    : directory{std::move(all)}, session{std::move(one)} {
  if (const auto place = session->place()) open_lane(place->loop);
}

RemoteState::~RemoteState() {
  abandon_lane();
  directory->release(session);
}

void RemoteState::open_lane(std::uint32_t loop) {
  auto lane = std::make_shared<TaskChannel>(share);
  directory->inbox_of(loop).add(lane);
  abandon_lane();
  lane_ = std::move(lane);
  loop_ = loop;
}

void RemoteState::abandon_lane() noexcept {
  if (!lane_) return;
  lane_->abandon();
  directory->inbox_of(loop_).notify();
}

std::expected<QueuedTask*, RemoteError> RemoteState::claim(const TaskKind& kind) {
  const auto place = session->place();
  if (!place) return std::unexpected{RemoteError{RemoteFailure::NoSession}};
  if (!lane_ || place->loop != loop_) open_lane(place->loop);
  if (lane_->is_closing.load(std::memory_order_relaxed)) {
    return std::unexpected{RemoteError{RemoteFailure::Stopped}};
  }
  QueuedTask* const slot = lane_->tasks.claim();
  if (slot == nullptr) return std::unexpected{RemoteError{RemoteFailure::Full}};
  if (slot->kind != &kind) slot->discard();
  claimed_for_ = *place;
  return slot;
}

PostToken RemoteState::commit(QueuedTask& slot) noexcept {
  slot.token = ++posted_;
  slot.session = claimed_for_;
  lane_->tasks.commit();
  directory->inbox_of(loop_).notify();
  return slot.token;
}

}  // namespace detail

Remote::Remote(std::shared_ptr<detail::RemoteState> state) noexcept : state_{std::move(state)} {}

std::expected<PostToken, RemoteError> Remote::post(const wire::DraftFields& fields,
                                                   detail::SendFields send_fields,
                                                   ResultCallback&& on_result) {
  detail::RemoteState& state = *state_;
  const std::lock_guard lock{state.share->posting};
  const auto slot = state.claim(kRemoteMessage);
  if (!slot) return std::unexpected{slot.error()};
  QueuedTask& queued = **slot;
  if (queued.kind == nullptr) {
    ::new (static_cast<void*>(queued.task)) RemoteMessage;
    queued.kind = &kRemoteMessage;
  }
  RemoteMessage& message = message_in(queued.task);
  message.fields = fields;
  message.send = send_fields;
  message.on_result = std::move(on_result);
  return state.commit(queued);
}

template <class Command>
std::expected<void, RemoteError> Remote::post_command(Command&& command) {
  using Stored = std::remove_cvref_t<Command>;
  constexpr const detail::TaskKind* kKind = &detail::TypedTask<Stored>::kKind;
  static_assert(sizeof(Stored) <= Mailbox::kTaskBytesMax);
  detail::RemoteState& state = *state_;
  const std::lock_guard lock{state.share->posting};
  const auto slot = state.claim(*kKind);
  if (!slot) return std::unexpected{slot.error()};
  QueuedTask& queued = **slot;
  ::new (static_cast<void*>(queued.task)) Stored(std::forward<Command>(command));
  queued.kind = kKind;
  static_cast<void>(state.commit(queued));
  return {};
}

std::expected<void, RemoteError> Remote::log_out(std::string_view text) {
  return post_command([text = std::string{text}](Session& session) { session.log_out(text); });
}
std::expected<void, RemoteError> Remote::log_on() {
  return post_command([](Session& session) { session.log_on(); });
}

LogonWait Remote::wait_logged_on(std::chrono::nanoseconds timeout) const {
  return state_->directory->wait_logged_on(*state_->session, timeout);
}
bool Remote::is_logged_on() const noexcept {
  return state_->session->state() == RemoteSession::State::LoggedOn;
}
std::uint64_t Remote::refused() const noexcept {
  return state_->share->refused.load(std::memory_order_relaxed);
}
std::string_view Remote::session_name() const noexcept { return state_->session->name(); }

}  // namespace nexusfix::engine
