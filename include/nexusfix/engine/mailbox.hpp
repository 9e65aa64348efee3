// Mailboxes: a thread posts tasks to sessions, and gets their results back.
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
#include <type_traits>
#include <utility>

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/engine/timer.hpp>

namespace nexusfix::engine {

// Identifies a task among those of its mailbox: 1, 2, 3 ...
using PostToken = std::uint64_t;

// The end of a posted task.
enum class PostOutcome : std::uint8_t {
  Done,       // the task ran, and returned no error
  Refused,    // the task ran and returned an error: see text
  Threw,      // the task threw: see text. Messages that it sent before stay sent.
  NoSession,  // the session does not exist, or not any more
  Stopped,    // the engine ended before the task's turn came
};
// For people, such as "the task threw". Static lifetime.
[[nodiscard]] std::string_view to_string(PostOutcome outcome) noexcept;

// The result of one posted task.
struct PostResult {
  PostToken token = 0;                      // as post() returned it
  PostOutcome outcome = PostOutcome::Done;  // whether the task ran, and with which end
  std::optional<Sent> sent;                 // of a task that returns a SendResult, when it is Done
  std::string text;                         // the reason of a failure, for people
  std::optional<SendError> refusal{};  // of a task that returns a SendResult, when it is Refused
};

// Why post() did not take a task.
enum class PostError : std::uint8_t {
  Full,     // kCapacity results were not collected: collect() them, also if none is of interest
  Stopped,  // the engine has ended
};
// For people, such as "the engine has ended". Static lifetime.
[[nodiscard]] std::string_view to_string(PostError error) noexcept;

namespace detail {

// What is no token, although C++ compares it with one.
template <class T>
concept NoToken = std::integral<T> && !std::same_as<T, PostToken>;

}  // namespace detail

// Does not compile: the result of post() is a token, which a bool would compare with.
template <detail::NoToken Number>
constexpr bool operator==(const std::expected<PostToken, PostError>&, const Number&) noexcept {
  static_assert(wire::detail::kCompiles<Number>,
                "test the result: if (auto posted = mailbox.post(...); !posted) ...; *posted is a "
                "token");
  return false;
}
// Does not compile: a token has no order.
template <std::integral Number>
constexpr std::strong_ordering operator<=>(const std::expected<PostToken, PostError>&,
                                           const Number&) noexcept {
  static_assert(wire::detail::kCompiles<Number>,
                "test the result: if (auto posted = mailbox.post(...); !posted) ...; *posted is a "
                "token");
  return std::strong_ordering::equal;
}

namespace detail {

// Stores a task's return value in its result.
inline void note_result(PostResult& result, SendResult&& returned) {
  if (returned) {
    result.sent = *returned;
  } else {
    result.outcome = PostOutcome::Refused;
    result.refusal = returned.error();
    result.text = returned.error().what();
  }
}
inline void note_result(PostResult& result, std::expected<void, std::string>&& returned) {
  if (returned) return;
  result.outcome = PostOutcome::Refused;
  result.text = std::move(returned.error());
}

// What an event loop does with a posted task, which lies in a slot of its queue.
struct TaskKind {
  void (*run)(void* task, Session& session, PostResult& result);
  // After the task has ended. Destroys what it has captured.
  void (*destroy)(void* task) noexcept;
  // A task of a Remote: passes the result to the caller. False: the caller wants none. Null: false.
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
      note_result(result, call_with(call, session));
    }
  }
  static void destroy(void* task) noexcept {
    std::destroy_at(std::launder(static_cast<Task*>(task)));
  }
  static constexpr TaskKind kKind{.run = &run, .destroy = &destroy};
};

struct TaskPath;
struct MailboxState;

}  // namespace detail

// A task that may be posted. It is called on the session's thread, between two events, as if the
// program drove the engine itself. It returns nothing, a SendResult, or std::expected<void,
// std::string>.
template <class Task>
concept PostedTask =
    std::invocable<Task&, Session&> &&
    (std::is_void_v<std::invoke_result_t<Task&, Session&>> ||
     std::same_as<std::invoke_result_t<Task&, Session&>, SendResult> ||
     std::same_as<std::invoke_result_t<Task&, Session&>, std::expected<void, std::string>>);

// One producer's access to an engine, made by Engine::open_mailbox(). A thread that only sends
// messages uses a Remote, which has no results to collect. Tasks of one mailbox for
// sessions of one event loop run in the order of their posts, in every state of their session: a
// task that sends on a session that is not logged on gets the same result as a callback.
//
// Threads: one thread at a time uses a mailbox; several threads use one mailbox each. post() never
// waits; only if the event loop sleeps, post() takes a lock and makes a system call to wake it.
// Allocation: only that of copying the task. A mailbox may outlive its engine.
//
//   auto mailbox = engine.open_mailbox();
//   const auto token = mailbox.post(handle, [id, price](Session& s) {
//     return s.send<fix44::NewOrderSingle>(ClOrdID{id}, ...);
//   });
//   mailbox.collect([](const PostResult& r) { if (r.outcome != PostOutcome::Done) complain(r); });
class Mailbox {
 public:
  // The tasks that may be posted before their results are collected. A mailbox whose results are
  // never collected takes this number of tasks, and then no other one.
  static constexpr std::size_t kCapacity = 1024;
  // The size limit of a task with its captures. A larger task does not compile.
  static constexpr std::size_t kTaskBytesMax = 224;

  // For Engine::open_mailbox().
  explicit Mailbox(std::unique_ptr<detail::MailboxState> state) noexcept;
  // The moved-from mailbox can only be destroyed or assigned to.
  Mailbox(Mailbox&&) noexcept;
  // Tasks that were posted to the replaced mailbox still run; their results are discarded.
  Mailbox& operator=(Mailbox&&) noexcept;
  // Posted tasks still run; their results are discarded.
  ~Mailbox();

  // Posts the task for the session of this handle: it has exactly one result. On an error the task
  // is not called. Throws what copying the task throws, and then posts nothing.
  template <class Task>
  [[nodiscard]] std::expected<PostToken, PostError> post(SessionHandle session, Task&& task) {
    using Stored = std::remove_cvref_t<Task>;
    constexpr bool kIsCalled = std::invocable<Stored&, Session&>;
    constexpr bool kIsTask = PostedTask<Stored>;
    static_assert(kIsCalled, "a task is a function of (Session&); a Remote sends a draft");
    static_assert(kIsTask || !kIsCalled,
                  "a task returns nothing, a SendResult, or std::expected<void, std::string>");
    static_assert(sizeof(Stored) <= kTaskBytesMax, "a task may capture up to kTaskBytesMax bytes");
    static_assert(alignof(Stored) <= alignof(std::max_align_t));
    if constexpr (kIsTask) {
      const auto place = claim(session);
      if (!place) return std::unexpected{place.error()};
      ::new (*place) Stored(std::forward<Task>(task));
      return commit(session, detail::TypedTask<Stored>::kKind);
    } else {
      return {};
    }
  }

  // Passes the results to the callback, for each event loop the oldest first. Returns their number.
  // Does not wait. A result is valid until the callback returns.
  template <class Callback>
  std::size_t collect(Callback&& callback) {
    constexpr bool kIsCalled = std::invocable<Callback&, const PostResult&>;
    static_assert(kIsCalled, "collect() takes a function of (const PostResult&)");
    if constexpr (kIsCalled) {
      return collect_with(callback);
    } else {
      return 0;
    }
  }
  // Waits until a result can be collected. False: the timeout is over, or no result is awaited. Not
  // for an engine's own thread, which would wait for itself.
  [[nodiscard]] bool wait(std::chrono::nanoseconds timeout);
  // The number of posted tasks whose results were not collected, at most kCapacity.
  [[nodiscard]] std::size_t awaited() const noexcept;

 private:
  std::size_t collect_with(FunctionRef<void(const PostResult&)> callback);
  [[nodiscard]] detail::TaskPath* path_to(SessionHandle session) noexcept;
  [[nodiscard]] std::expected<void*, PostError> claim(SessionHandle session) noexcept;
  [[nodiscard]] PostToken commit(SessionHandle session, const detail::TaskKind& kind) noexcept;
  [[nodiscard]] bool has_results() noexcept;
  void abandon() noexcept;

  std::unique_ptr<detail::MailboxState> state_;
};

}  // namespace nexusfix::engine

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::PostError> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::PostOutcome> = true;
