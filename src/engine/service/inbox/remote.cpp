#include <memory>
#include <new>
#include <string>
#include <utility>

#include <nexusfix/engine/remote.hpp>
#include <nexusfix/wire/draft_fields.hpp>

#include "engine/service/inbox/remote_state.hpp"

namespace nexusfix::engine {
namespace {

// A slot keeps memory up to this message: kCapacity slots keep 4 MiB at most.
constexpr std::size_t kKeptBytesMax = 4096;

// A message in its slot. It stays there for the next message, for the sake of its memory: a block
// that one thread allocates and another one frees costs both a lock of the allocator.
struct RemoteMessage {
  wire::DraftFields fields;
  detail::SendFields send = nullptr;
  detail::ResultCallback on_result;
};
static_assert(sizeof(RemoteMessage) <= Remote::kTaskBytesMax);

RemoteMessage& message_in(void* slot) noexcept {
  return *std::launder(static_cast<RemoteMessage*>(slot));
}

constexpr detail::TaskKind kRemoteMessage{
    .run =
        [](void* task, Session& session, PostResult& result) {
          const RemoteMessage& message = message_in(task);
          detail::set_result(result, message.send(session, message.fields));
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

std::string_view to_string(PostResult::Outcome outcome) noexcept {
  switch (outcome) {
    case PostResult::Outcome::Done:
      return "done";
    case PostResult::Outcome::Refused:
      return "refused";
    case PostResult::Outcome::Threw:
      return "the task threw";
    case PostResult::Outcome::NoSession:
      return "no such session";
    case PostResult::Outcome::Stopped:
      return "the engine has ended";
  }
  return "unknown";
}

std::string_view to_string(RemoteError::Failure failure) noexcept {
  switch (failure) {
    case RemoteError::Failure::Invalid:
      return "the draft is no valid message";
    case RemoteError::Failure::Full:
      return "the messages of this remote wait for the event loop: send more slowly";
    case RemoteError::Failure::NoSession:
      return "the session was removed from the engine";
    case RemoteError::Failure::Stopped:
      break;
  }
  return "the engine has ended";
}

std::string RemoteError::what() const {
  if (failure == RemoteError::Failure::Invalid) return draft.what();
  if (failure == RemoteError::Failure::Full) {
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

// A queue to the first loop, if there is no other: while one is open, its run() serves.
RemoteState::RemoteState(std::shared_ptr<RemoteDirectory> all, std::shared_ptr<RemoteSession> own)
    : directory{std::move(all)}, session{std::move(own)}, channels_(directory->loop_count()) {
  const auto place = session ? session->place() : std::nullopt;
  static_cast<void>(channel_to(place ? place->loop : 0));
}

RemoteState::~RemoteState() {
  for (std::uint32_t loop = 0; loop < channels_.size(); ++loop) {
    if (!channels_[loop]) continue;
    channels_[loop]->abandon();
    directory->inbox_of(loop).notify();
  }
  if (session) directory->release(session);
}

TaskChannel& RemoteState::channel_to(std::uint32_t loop) {
  if (!channels_[loop]) {
    auto channel = std::make_shared<TaskChannel>(share);
    directory->inbox_of(loop).add(channel);
    channels_[loop] = std::move(channel);
  }
  return *channels_[loop];
}

std::expected<QueuedTask*, RemoteError> RemoteState::claim(const SessionHandle* handle,
                                                           const TaskKind& kind) {
  using enum RemoteError::Failure;
  const auto fails = [](RemoteError::Failure why) { return std::unexpected{RemoteError{why}}; };
  const auto own = handle == nullptr && session ? session->place() : std::nullopt;
  if (handle == nullptr && own) handle = &*own;
  if (handle == nullptr || handle->loop >= channels_.size()) return fails(NoSession);
  TaskChannel& channel = channel_to(handle->loop);
  if (channel.is_closing.load(std::memory_order_relaxed)) return fails(Stopped);
  QueuedTask* const slot = channel.tasks.claim();
  if (slot == nullptr) return fails(Full);
  if (slot->kind != &kind) slot->discard();
  claimed_for_ = *handle;
  return slot;
}

PostToken RemoteState::commit(QueuedTask& slot) noexcept {
  const PostToken token = ++posted_;
  slot.token = token;
  slot.session = claimed_for_;
  channels_[claimed_for_.loop]->tasks.commit();
  directory->inbox_of(claimed_for_.loop).notify();
  return token;
}

}  // namespace detail

Remote::Remote(std::shared_ptr<detail::RemoteState> state) noexcept : state_{std::move(state)} {}

std::expected<PostToken, RemoteError> Remote::post_message(const wire::DraftFields& fields,
                                                           detail::SendFields send_fields,
                                                           detail::ResultCallback&& on_result) {
  detail::RemoteState& state = *state_;
  const std::lock_guard lock{state.share->posting};
  const auto slot = state.claim(nullptr, kRemoteMessage);
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

std::expected<PostToken, RemoteError> Remote::place(const SessionHandle* session,
                                                    const detail::TaskKind& kind,
                                                    FunctionRef<void(void*)> construct) {
  detail::RemoteState& state = *state_;
  const std::lock_guard lock{state.share->posting};
  const auto slot = state.claim(session, kind);
  if (!slot) return std::unexpected{slot.error()};
  construct((*slot)->task);
  (*slot)->kind = &kind;
  return state.commit(**slot);
}

std::expected<void, RemoteError> Remote::log_out(std::string_view text) {
  const auto posted = post([text = std::string{text}](Session& session) { session.log_out(text); });
  if (!posted) return std::unexpected{posted.error()};
  return {};
}
std::expected<void, RemoteError> Remote::log_on() {
  const auto posted = post([](Session& session) { session.log_on(); });
  if (!posted) return std::unexpected{posted.error()};
  return {};
}

LogonWait Remote::wait_logged_on(std::chrono::nanoseconds timeout) const {
  if (!state_->session) return LogonWait::NoSession;
  return state_->directory->wait_logged_on(*state_->session, timeout);
}
bool Remote::is_logged_on() const noexcept {
  return state_->session && state_->session->state() == RemoteSession::State::LoggedOn;
}
std::uint64_t Remote::refused() const noexcept {
  return state_->share->refused.load(std::memory_order_relaxed);
}
std::string_view Remote::session_name() const noexcept {
  return state_->session ? state_->session->name() : std::string_view{};
}

}  // namespace nexusfix::engine
