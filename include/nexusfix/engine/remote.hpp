// Remotes: threads that serve no event loop send on sessions, and run tasks on them.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

// Identifies a message or task among those of its Remote and its copies: 1, 2, 3 ...
using PostToken = std::uint64_t;

// The result of one message or task.
struct PostResult {
  // The end of a message or task that a Remote has accepted.
  enum class Outcome : std::uint8_t {
    Done,       // the message was sent, or the task ran and returned no error
    Refused,    // the session refused the message, or the task returned an error: see text
    Threw,      // the task threw: see text. Messages that it sent before stay sent.
    NoSession,  // the session does not exist, or not any more
    Stopped,    // the engine ended before the task's turn came
  };
  PostToken token = 0;                 // as send() or post() returned it
  Outcome outcome = Outcome::Done;     // how it has ended
  std::optional<Sent> sent;            // Done: of a message, or a task that returns SendResult
  std::string text;                    // the reason of a failure, for people
  std::optional<SendError> refusal{};  // Refused: as sent
};
// For people, such as "the task threw". Static lifetime.
[[nodiscard]] std::string_view to_string(PostResult::Outcome outcome) noexcept;

// The error of a call of a Remote.
struct RemoteError {
  // Why a Remote did not accept a message or a command. Nothing was sent.
  enum class Failure : std::uint8_t {
    Invalid,    // the draft is no valid message: see RemoteError::draft
    Full,       // Remote::kCapacity messages and tasks wait for the event loop: it is too slow
    NoSession,  // the session does not exist, or not any more
    Stopped,    // the engine has ended
  };
  Failure failure = Failure::Invalid;  // why nothing was accepted
  wire::DraftError draft{};            // failure is Invalid: the field and its error
  // One sentence for people, such as "OrdType (40): the required field is missing".
  [[nodiscard]] std::string what() const;
  // what() as a function.
  friend std::string to_string(const RemoteError& error) { return error.what(); }
};
// For people, such as "the engine has ended". Static lifetime.
[[nodiscard]] std::string_view to_string(RemoteError::Failure failure) noexcept;

namespace detail {

// What is no token, although C++ compares it with one.
template <class T>
concept NoToken = std::integral<T> && !std::same_as<T, PostToken>;

}  // namespace detail

// Does not compile: what Remote::send() returns is tested, and a token compares with tokens only.
template <detail::NoToken Number>
constexpr bool operator==(const std::expected<PostToken, RemoteError>&, const Number&) noexcept {
  static_assert(
      wire::detail::kCompiles<Number>,
      "test the result: if (auto sent = remote.send(order); !sent) ...; *sent is a token");
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

namespace detail {

// The callback of a message's result, with its captures in place: any function of a const
// PostResult& that returns nothing and has at most kResultCallbackBytesMax bytes.
class ResultCallback : public StoredCallback<const PostResult&, kResultCallbackBytesMax> {
 public:
  ResultCallback() = default;  // there is no callback
  // Implicit, so that send() takes a lambda. A pointer to a function must not be null. Throws what
  // copying or moving the callback throws.
  template <class Callback>
    requires(!std::is_same_v<std::remove_cvref_t<Callback>, ResultCallback>)
  explicit(false) ResultCallback(Callback&& callback) {
    using Given = std::decay_t<Callback>;
    static_assert(kTakesArgument<Given>, "on_result has the argument (const PostResult&)");
    static_assert(returns_nothing<Given>(), "on_result returns nothing");
    static_assert(kFits<Given>, "on_result may capture up to kResultCallbackBytesMax bytes");
    emplace(std::forward<Callback>(callback));
  }
};

// Stores a task's return value in its result.
inline void set_result(PostResult& result, SendResult&& returned) {
  if (returned) {
    result.sent = *returned;
  } else {
    result.outcome = PostResult::Outcome::Refused;
    result.refusal = returned.error();
    result.text = returned.error().what();
  }
}
inline void set_result(PostResult& result, std::expected<void, std::string>&& returned) {
  if (returned) return;
  result.outcome = PostResult::Outcome::Refused;
  result.text = std::move(returned.error());
}

// What an event loop does with a posted task, which lies in a slot of its queue.
struct TaskKind {
  void (*run)(void* task, Session& session, PostResult& result);
  // After the task has ended. Destroys what it has captured.
  void (*destroy)(void* task) noexcept;
  // Passes the result to on_result. False: there is no on_result. Null: false.
  bool (*report)(void* task, const PostResult& result) = nullptr;
  // Destroys what a task keeps in its slot for the next one of its kind. Null: it keeps nothing.
  void (*discard)(void* task) noexcept = nullptr;
};

// The kind of a task of this type.
template <class Task>
struct TypedTask {
  static void run(void* task, Session& session, PostResult& result) {
    Task& call = *std::launder(static_cast<Task*>(task));
    if constexpr (std::is_void_v<std::invoke_result_t<Task&, Session&>>) {
      call_with(call, session);
    } else {
      set_result(result, call_with(call, session));
    }
  }
  static void destroy(void* task) noexcept {
    std::destroy_at(std::launder(static_cast<Task*>(task)));
  }
  static constexpr TaskKind kKind{.run = &run, .destroy = &destroy};
};

// A task and the callback of its result, in one slot.
template <class Task, class OnResult>
struct ReportedTask {
  Task task;
  OnResult on_result;

  auto operator()(Session& session) { return call_with(task, session); }
  static bool report(void* task, const PostResult& result) {
    call_with(std::launder(static_cast<ReportedTask*>(task))->on_result, result);
    return true;
  }
  static constexpr TaskKind kKind{.run = &TypedTask<ReportedTask>::run,
                                  .destroy = &TypedTask<ReportedTask>::destroy,
                                  .report = &report};
};

// The task has no on_result.
struct NoCallback {};

// A task that may be posted. It is called on the session's thread, between two events, as if the
// program drove the engine itself. It returns nothing, a SendResult, or std::expected<void,
// std::string>.
template <class Task>
concept PostedTask =
    std::invocable<Task&, Session&> &&
    (std::is_void_v<std::invoke_result_t<Task&, Session&>> ||
     std::same_as<std::invoke_result_t<Task&, Session&>, SendResult> ||
     std::same_as<std::invoke_result_t<Task&, Session&>, std::expected<void, std::string>>);

// Sends the fields of a draft as a message of its type.
using SendFields = SendResult (*)(Session& session, const wire::DraftFields& fields);

struct RemoteState;

}  // namespace detail

// How threads that serve no event loop reach sessions, made by Engine::remote(). It has a session
// of its own, for send() and the commands; post() reaches every session of the engine. What goes to
// the sessions of one event loop is carried out in the order of the calls.
//
// Threads: any number of threads may use one Remote and its copies, which share their queues: no
// use of it is a data race. The threads that share it take turns with a lock; threads that never
// wait for each other have a Remote each, from Engine::remote(). The event loop takes no lock and
// never waits for a sender. Only if the loop sleeps, a call makes a system call to wake it.
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
  // The messages, tasks and commands of one Remote that may wait for one event loop. Each has left
  // the queue when the loop has handled it.
  static constexpr std::size_t kCapacity = 1024;
  // The size limit of a task and its on_result with their captures. Larger ones do not compile.
  static constexpr std::size_t kTaskBytesMax = 224;

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
                                                           detail::ResultCallback on_result = {}) {
    if (const auto valid = draft.validate(); !valid) {
      return std::unexpected{RemoteError{RemoteError::Failure::Invalid, valid.error()}};
    }
    return post_message(draft.fields(), &send_fields<Message>, std::move(on_result));
  }

  // Runs the task on the thread of the Remote's session, between two events, as if the program
  // drove the engine itself: task(Session&), in every state of the session. Unlike a callback it is
  // not rolled back: each message that it sends is a record of its own. Returns at once, as send(),
  // and on_result has the same rules: PostResult::sent is that of a task that returns a SendResult.
  // A task that throws is logged (NXF-1064). Errors: Full, NoSession, Stopped; the task is then not
  // called. Throws std::bad_alloc and what copying the task throws, and then accepts nothing.
  // Allocates only what copying the task does, and the queue of an event loop at its first use.
  //
  //   remote.post([id](Session& session) {
  //     return session.send<fix44::OrderStatusRequest>(ClOrdID{id}, ...);
  //   }, [](const PostResult& result) { if (!result.sent) complain(result.text); });
  template <class Task, class OnResult = detail::NoCallback>
    requires(!std::same_as<std::remove_cvref_t<Task>, SessionHandle>)
  [[nodiscard]] std::expected<PostToken, RemoteError> post(Task&& task, OnResult on_result = {}) {
    return post_task(nullptr, std::forward<Task>(task), std::move(on_result));
  }
  // Runs the task on the session of this handle, in any event loop of the engine.
  template <class Task, class OnResult = detail::NoCallback>
  [[nodiscard]] std::expected<PostToken, RemoteError> post(SessionHandle session, Task&& task,
                                                           OnResult on_result = {}) {
    return post_task(&session, std::forward<Task>(task), std::move(on_result));
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

  // What this Remote and its copies have accepted and the engine has not carried out, for any
  // reason: messages, tasks and commands.
  [[nodiscard]] std::uint64_t refused() const noexcept;
  // The name of the session; empty: it has none of its own. Valid as long as a copy of this Remote.
  [[nodiscard]] std::string_view session_name() const noexcept;

 private:
  template <class Message>
  static SendResult send_fields(Session& session, const wire::DraftFields& fields) {
    return session.send_typed<Message>([&](auto& encoder) noexcept { encoder.fields(fields); });
  }
  template <class Task, class OnResult>
  std::expected<PostToken, RemoteError> post_task(const SessionHandle* session, Task&& task,
                                                  OnResult&& on_result) {
    using Stored = std::remove_cvref_t<Task>;
    using Callback = std::remove_cvref_t<OnResult>;
    constexpr bool kReports = !std::same_as<Callback, detail::NoCallback>;
    using InSlot = std::conditional_t<kReports, detail::ReportedTask<Stored, Callback>, Stored>;
    constexpr bool kIsCalled = std::invocable<Stored&, Session&>;
    constexpr bool kIsTask = detail::PostedTask<Stored>;
    constexpr bool kTakesResult = !kReports || std::invocable<Callback&, const PostResult&>;
    static_assert(kIsCalled, "a task is a function of (Session&); send() sends a draft");
    static_assert(kIsTask || !kIsCalled,
                  "a task returns nothing, a SendResult, or std::expected<void, std::string>");
    static_assert(kTakesResult, "on_result has the argument (const PostResult&)");
    static_assert(sizeof(InSlot) <= kTaskBytesMax, "a task may capture up to kTaskBytesMax bytes");
    static_assert(alignof(InSlot) <= alignof(std::max_align_t));
    if constexpr (!kIsTask || !kTakesResult) {
      return {};
    } else if constexpr (kReports) {
      return place(session, InSlot::kKind, [&](void* slot) {
        ::new (slot) InSlot{std::forward<Task>(task), std::forward<OnResult>(on_result)};
      });
    } else {
      return place(session, detail::TypedTask<Stored>::kKind,
                   [&](void* slot) { ::new (slot) Stored(std::forward<Task>(task)); });
    }
  }
  // session: null: its own one. construct: makes the task in its slot.
  [[nodiscard]] std::expected<PostToken, RemoteError> place(const SessionHandle* session,
                                                            const detail::TaskKind& kind,
                                                            FunctionRef<void(void*)> construct);
  [[nodiscard]] std::expected<PostToken, RemoteError> post_message(
      const wire::DraftFields& fields, detail::SendFields send, detail::ResultCallback&& on_result);

  std::shared_ptr<detail::RemoteState> state_;
};

}  // namespace nexusfix::engine

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::PostResult::Outcome> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::RemoteError> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::RemoteError::Failure> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::LogonWait> = true;
