// Remotes: threads that serve no event loop send on a session.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/engine/mailbox.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/engine/timer.hpp>

namespace nexusfix::engine {

// Why a Remote did not accept a message or a command. Nothing was sent.
enum class RemoteFailure : std::uint8_t {
  Invalid,    // the draft is no valid message: see RemoteError::draft
  Full,       // Remote::kCapacity messages wait for the event loop: it is slower than the sender
  NoSession,  // the session does not exist, or not any more
  Stopped,    // the engine has ended
};

// For people, such as "the engine has ended". Static lifetime.
[[nodiscard]] std::string_view to_string(RemoteFailure failure) noexcept;

// The error of a call of a Remote.
struct RemoteError {
  RemoteFailure failure = RemoteFailure::Invalid;  // why nothing was accepted
  wire::DraftError draft{};                        // failure is Invalid: the field and its error
  // One sentence for people, such as "OrdType (40): the required field is missing".
  [[nodiscard]] std::string what() const;
  // what() as a function.
  friend std::string to_string(const RemoteError& error) { return error.what(); }
};

// Does not compile: what Remote::send() returns is tested, and a token compares with tokens only.
template <detail::NoToken Number>
constexpr bool operator==(const std::expected<PostToken, RemoteError>&, const Number&) noexcept {
  static_assert(
      wire::detail::kCompiles<Number>,
      "test the result: if (auto sent = remote.send(order); !sent) ...; *sent is a token");
  return false;
}
// Does not compile: a token has no order.
template <std::integral Number>
constexpr std::strong_ordering operator<=>(const std::expected<PostToken, RemoteError>&,
                                           const Number&) noexcept {
  static_assert(
      wire::detail::kCompiles<Number>,
      "test the result: if (auto sent = remote.send(order); !sent) ...; *sent is a token");
  return std::strong_ordering::equal;
}
// Does not compile, as a token with a bool.
template <std::integral Number>
constexpr bool operator==(const std::expected<void, RemoteError>&, const Number&) noexcept {
  static_assert(wire::detail::kCompiles<Number>,
                "test the result: if (auto done = remote.log_out(); !done) ...");
  return false;
}

// How Remote::wait_logged_on() has ended.
enum class LogonWait : std::uint8_t {
  LoggedOn,    // the session is logged on
  TimedOut,    // it is not, and the timeout is over
  NoSession,   // the session does not exist, or not any more
  Stopped,     // the engine has ended
  WithinLoop,  // the calling thread serves an event loop of the engine, and would wait for itself
};
// For people, such as "the session is logged on". Static lifetime.
[[nodiscard]] std::string_view to_string(LogonWait end) noexcept;

// The size limit of an on_result callback with its captures. A larger one does not compile.
inline constexpr std::size_t kResultCallbackBytesMax = 128;

// The callback of a message's result, with its captures in place: any function of a const
// PostResult& that returns nothing and has at most kResultCallbackBytesMax bytes.
class ResultCallback : public detail::StoredCallback<const PostResult&, kResultCallbackBytesMax> {
 public:
  ResultCallback() = default;  // there is no callback
  // Implicit, so that send() takes a lambda. A pointer to a function must not be null. Throws what
  // copying or moving the callback throws.
  template <class Callback>
    requires(!std::is_same_v<std::remove_cvref_t<Callback>, ResultCallback>)
  ResultCallback(Callback&& callback) {  // NOLINT: implicit
    using Given = std::decay_t<Callback>;
    static_assert(kTakesArgument<Given>, "on_result has the argument (const PostResult&)");
    static_assert(returns_nothing<Given>(), "on_result returns nothing");
    static_assert(kFits<Given>, "on_result may capture up to kResultCallbackBytesMax bytes");
    emplace(std::forward<Callback>(callback));
  }
};

namespace detail {

// Sends the fields of a draft as a message of its type.
using SendFields = SendResult (*)(Session& session, const wire::DraftFields& fields);

struct RemoteState;

}  // namespace detail

// A session for threads that do not serve its event loop, made by Engine::remote(). Messages are
// sent in the order of send(); no result needs to be collected.
//
// Threads: any number of threads may use one Remote and its copies, which share one queue: no use
// of it is a data race. The threads that share it take turns with a lock; threads that never wait
// for each other have a Remote each, from Engine::remote(). The event loop takes no lock and never
// waits for a sender. Only if the loop sleeps, a call makes a system call to wake it.
//
// It follows its session: a session that is removed and added again, also in another event loop, is
// reached again. A Remote may outlive its engine. While one exists, run() serves until stop().
//
//   auto remote = engine.remote("FIX.4.4:TRADER->VENUE");
//   if (!remote) return complain(remote.error().what());
//   if (remote->wait_logged_on(5s) != LogonWait::LoggedOn) return;
//   if (auto accepted = remote->send(order); !accepted) slow_down(accepted.error().what());
class Remote {
 public:
  // The messages and commands of one Remote that may wait for the event loop. Each has left the
  // queue when the loop has handled it, whether or not anyone has seen its result.
  static constexpr std::size_t kCapacity = Mailbox::kCapacity;

  // Does not compile: a Remote has a session.
  template <class Same = Remote>
  Remote() noexcept {
    static_assert(
        wire::detail::kCompiles<Same>,
        "an engine makes a Remote: auto remote = engine.remote(\"FIX.4.4:A->B\"); a class "
        "that keeps it takes it, or has a std::optional of it");
  }
  // For Engine::remote().
  explicit Remote(std::shared_ptr<detail::RemoteState> state) noexcept;

  // Sends a copy of the draft, which may change directly after the call. Returns at once: the
  // message was accepted, and its token identifies its result; or it was not, for example because a
  // required field is missing (Invalid) or the queue is full (Full).
  //
  // on_result is called exactly once for an accepted message, on the session's thread: with the
  // MsgSeqNum (PostResult::sent); with the reason why the session refused it (Refused, such as not
  // logged on with SendWhileLoggedOut=N: PostResult::refusal); or because the session was removed
  // (NoSession) or the engine ended (Stopped; if the engine is destroyed without stop(), on the
  // thread that destroys it). It must not block. It may send. An exception is logged (NXF-1064).
  // Without on_result, a message that is not sent is an event (NXF-1067), and refused() counts it.
  //
  // Throws std::bad_alloc and what moving on_result throws, and then accepts nothing. The copy goes
  // to memory that the queue keeps, so that in steady state nothing is allocated or freed on either
  // thread.
  template <class Message>
  [[nodiscard]] std::expected<PostToken, RemoteError> send(const wire::Draft<Message>& draft,
                                                           ResultCallback on_result = {}) {
    if (const wire::DraftResult valid = draft.validate(); !valid) {
      return std::unexpected{RemoteError{RemoteFailure::Invalid, valid.error()}};
    }
    return post(draft.fields(), &send_fields<Message>, std::move(on_result));
  }
  // Does not compile: only the session's thread writes into the session's buffer.
  template <class Message = void, class First, class... Rest>
    requires(!requires(const First& draft) { draft.fields(); })
  [[nodiscard]] std::expected<PostToken, RemoteError> send(const First&, const Rest&...) {
    static_assert(wire::detail::kCompiles<Message, First>,
                  "a Remote sends a draft: fix44::NewOrderSingle::Draft order; set its fields with "
                  "order.set(...), or copy a received message with order.assign(message)");
    return {};
  }

  // Blocks the calling thread until the session is logged on, the timeout is over, the session is
  // removed, or the engine has ended; returns which. A timeout of 0 or less does not wait. On a
  // thread that serves an event loop of the engine it does not wait either (WithinLoop).
  [[nodiscard]] LogonWait wait_logged_on(std::chrono::nanoseconds timeout) const;
  // Whether the session is logged on: from before on_logon() until on_logout(). A moment later it
  // may be otherwise. Does not wait.
  [[nodiscard]] bool is_logged_on() const noexcept;

  // As Session::log_out(), after the messages that were sent before. Errors: Full, NoSession,
  // Stopped.
  [[nodiscard]] std::expected<void, RemoteError> log_out(std::string_view text = {});
  // As Session::log_on(): an initiator connects again. Errors: as those of log_out().
  [[nodiscard]] std::expected<void, RemoteError> log_on();

  // Messages and commands of this Remote and its copies that were accepted and not carried out, for
  // any reason.
  [[nodiscard]] std::uint64_t refused() const noexcept;
  // The name of the session. Valid as long as a copy of this Remote.
  [[nodiscard]] std::string_view session_name() const noexcept;

 private:
  template <class Message>
  static SendResult send_fields(Session& session, const wire::DraftFields& fields) {
    return session.send_typed<Message>(
        [&](wire::Encoder& encoder) noexcept { encoder.fields(fields); });
  }
  [[nodiscard]] std::expected<PostToken, RemoteError> post(const wire::DraftFields& fields,
                                                           detail::SendFields send,
                                                           ResultCallback&& on_result);
  template <class Command>
  [[nodiscard]] std::expected<void, RemoteError> post_command(Command&& command);

  std::shared_ptr<detail::RemoteState> state_;
};

}  // namespace nexusfix::engine

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::RemoteError> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::RemoteFailure> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::LogonWait> = true;
