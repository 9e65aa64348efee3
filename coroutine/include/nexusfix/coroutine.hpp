// coroutine: conversations of a session, written as coroutines.
//
// What it is: an optional part of the engine. A function that returns a Conversation sends an order
// and waits for its report by `co_await next<fix44::ExecutionReport>(5s)`, instead of keeping its
// state between two callbacks. An application that does not derive from Conversations pays nothing.
//
// What it is not: a scheduler, or a second kind of callback. A coroutine runs within the callback
// that resumes it: on the thread of its session's event loop, in the transaction of that callback.
// Messages that no coroutine waits for go to on_message(), as without it.
//
// Threads: only the thread of the session's event loop; other threads post to it by a Remote.
//
// Allocation: the frame of a conversation, when it begins, and in steady state nothing else.
//
//   struct Trader : nexusfix::Conversations<Trader> {
//     void on_logon(Session& session) { trade(session).start(); }
//
//     nexusfix::Conversation trade(Session& session) {
//       if (!session.send<fix44::NewOrderSingle>(...)) co_return;
//       auto report = co_await next<fix44::ExecutionReport>(5s);
//       if (!report) std::puts("no report");
//     }
//     void on_message(Session&, const fix44::ExecutionReport&) {}
//   };
#pragma once

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>

namespace nexusfix::engine {

class Conversation;
class ConversationHandle;

// How a wait for a message ended.
enum class WaitEnd : std::uint8_t {
  Message,    // a message arrived
  TimedOut,   // none arrived in time
  LoggedOut,  // the session was logged out, for whatever reason: see Conversations::next()
  Cancelled,  // ConversationHandle::cancel() has ended it
  NoTimer,    // its timer was refused, as Session::call_after() says: the session is being removed,
              // or has kTimersMax timers
};
// For people, such as "timed out". Static lifetime.
[[nodiscard]] constexpr std::string_view to_string(WaitEnd end) noexcept {
  switch (end) {
    case WaitEnd::Message:
      return "a message arrived";
    case WaitEnd::TimedOut:
      return "timed out";
    case WaitEnd::LoggedOut:
      return "logged out";
    case WaitEnd::Cancelled:
      return "cancelled";
    case WaitEnd::NoTimer:
      return "no timer could be set";
  }
  return "";
}

// The result of `co_await next<M>()`: a copy of the message, or why there is none. It and all views
// of it, such as a ClOrdID, are valid until the end of its scope, also after a further co_await. It
// stays in its coroutine: it can be neither copied nor moved. For longer, M::Draft::from(*report)
// makes a draft.
template <wire::TypedMessage... Types>
class [[nodiscard]] Received {
 public:
  // For the engine: `which` is the index of the message's type.
  Received(WaitEnd end, wire::OwnedMessage&& message, std::size_t which)
      : end_{end}, message_{std::move(message)} {
    if (end_ == WaitEnd::Message) read(which, std::index_sequence_for<Types...>{});
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;
  // Gives its memory back to the session.
  ~Received() = default;

  // Whether a message arrived.
  explicit operator bool() const noexcept { return end_ == WaitEnd::Message; }
  // How the wait ended.
  [[nodiscard]] WaitEnd end() const noexcept { return end_; }
  // The message, if it is an M; otherwise null.
  template <class M>
    requires(std::same_as<M, Types> || ...)
  [[nodiscard]] const M* get() const& noexcept {
    return std::get_if<M>(&typed_);
  }
  // The message. Throws std::logic_error if there is none.
  [[nodiscard]] const auto& operator*() const&
    requires(sizeof...(Types) == 1)
  {
    if (end_ == WaitEnd::Message) [[likely]]
      return std::get<1>(typed_);
    throw std::logic_error{"there is no message, because the wait has ended: " +
                           std::string{to_string(end_)}};
  }
  // The message.
  [[nodiscard]] const auto* operator->() const&
    requires(sizeof...(Types) == 1)
  {
    return &**this;
  }
  // Not of a result without a name: `(co_await next<M>())->symbol()` would be a view of a message
  // that is gone.
  template <class M>
  void get() const&& = delete;
  void operator*() const&& = delete;
  void operator->() const&& = delete;

 private:
  template <std::size_t... I>
  void read(std::size_t which, std::index_sequence<I...>) {
    (read_as<I + 1, Types>(which == I), ...);
  }
  // on_message() would get it: it has been checked.
  template <std::size_t Index, class M>
  void read_as(bool is_it) {
    if (!is_it) return;
    if constexpr (std::derived_from<M, wire::TypedMessageView<M>>) {
      typed_.template emplace<Index>(wire::detail::Unchecked::make<M>(message_.view()));
    } else {
      typed_.template emplace<Index>(*M::from(message_.view()));
    }
  }

  WaitEnd end_;
  wire::OwnedMessage message_;
  std::variant<std::monostate, Types...> typed_;  // views of message_
};

namespace detail {

class ConversationPromise;
class SessionConversations;

// A node of a list, which leaves it when it is destroyed.
class Link {
 public:
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { leave(); }

  // Joins the list at its end. list: a node of it that is no element.
  void join(Link& list) noexcept {
    previous_ = list.previous_;
    next_ = &list;
    previous_->next_ = this;
    list.previous_ = this;
  }
  void leave() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }
  [[nodiscard]] Link* next() const noexcept { return next_; }
  [[nodiscard]] Link* previous() const noexcept { return previous_; }

 private:
  Link* previous_ = this;
  Link* next_ = this;
};

// A wait of a conversation, in its frame: it stays at its address.
class Wait : public Link {
 public:
  // Takes a message if the conversation waits for it. type: type_mark of its class.
  using Take = bool (*)(Wait&, const char* type, const void* message,
                        std::pmr::memory_resource& memory);

  Wait(ConversationPromise& promise, Take take) noexcept : promise_{promise}, take_{take} {}

 protected:
  // False: the wait has ended already, and the coroutine goes on.
  [[nodiscard]] bool begin(const std::optional<std::chrono::nanoseconds>& timeout);
  void keep(const wire::MessageView& message, std::pmr::memory_resource& memory) {
    auto copied = wire::to_owned(message, memory);
    if (!copied) throw std::bad_alloc{};
    message_ = std::move(*copied);
  }

  WaitEnd end_ = WaitEnd::TimedOut;  // until it ends: that of its timer
  wire::OwnedMessage message_;

 private:
  friend class SessionConversations;
  friend class engine::ConversationHandle;

  [[nodiscard]] TimerHandle call_after(std::chrono::nanoseconds delay);
  bool cancel();
  [[nodiscard]] bool is_cancelled() const noexcept { return end_ == WaitEnd::Cancelled; }
  // Resumes the coroutine.
  void finish(WaitEnd end);

  ConversationPromise& promise_;
  Take take_;
  TimerHandle timer_;
  std::uint64_t round_ = 0;
};

// What next() returns: it waits when it is awaited.
template <class Application, class Where, wire::TypedMessage... Types>
struct [[nodiscard("a message is awaited by co_await next<M>()")]] Next {
  std::optional<std::chrono::nanoseconds> timeout;
  Where where;
};

template <class Where, wire::TypedMessage... Types>
class Waiter final : public Wait {
 public:
  Waiter(ConversationPromise& promise, std::optional<std::chrono::nanoseconds> timeout,
         Where&& where)
      : Wait{promise, &Waiter::take}, timeout_{timeout}, where_{std::move(where)} {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<>) { return begin(timeout_); }
  Received<Types...> await_resume() { return {end_, std::move(message_), which_}; }

 private:
  static bool take(Wait& wait, const char* type, const void* message,
                   std::pmr::memory_resource& memory) {
    auto& self = static_cast<Waiter&>(wait);
    self.which_ = 0;
    return (self.template accept_as<Types>(type, message, memory) || ...);
  }
  template <class M>
  bool accept_as(const char* type, const void* message, std::pmr::memory_resource& memory) {
    if (type != &type_mark<M>) {
      ++which_;
      return false;
    }
    const M& typed = *static_cast<const M*>(message);
    if (!where_(typed)) return false;
    keep(typed.view(), memory);
    return true;
  }

  std::optional<std::chrono::nanoseconds> timeout_;
  [[no_unique_address]] Where where_;
  std::size_t which_ = 0;
};

// The conversations of a session, and the messages that they wait for. The session owns it.
class SessionConversations {
 public:
  SessionConversations() = default;
  SessionConversations(const SessionConversations&) = delete;
  SessionConversations& operator=(const SessionConversations&) = delete;
  // Destroys the conversations, the last one first; none of them is resumed, nor can be cancelled.
  ~SessionConversations();

  [[nodiscard]] static SessionConversations& of(Session& session) {
    SessionConversations* const present = find(session);
    return present != nullptr ? *present
                              : session.conversations_.template make<SessionConversations>();
  }
  // Null: the session has had no conversation.
  [[nodiscard]] static SessionConversations* find(const Session& session) noexcept {
    return session.conversations_.template get<SessionConversations>();
  }

  // Resumes the conversation that has waited longest for this message. False: none waits for it.
  template <class M>
  static bool deliver(Session& session, const M& message) {
    SessionConversations* const all = find(session);
    return all != nullptr && all->offer(&type_mark<M>, &message);
  }
  // Ends all waits, since the session is logged out, and then calls on_logout. Throws what these
  // have thrown, after all have run.
  static void log_out(Session& session, FunctionRef<void()> on_logout);

  void add(ConversationPromise& promise) noexcept;
  void add(Wait& wait) noexcept {
    wait.round_ = round_;
    wait.join(waits_);
  }

 private:
  bool offer(const char* type, const void* message);

  std::pmr::unsynchronized_pool_resource memory_;
  Link waits_;               // in the order in which they began
  Link conversations_;       // in the order of their starts
  std::uint64_t round_ = 0;  // a wait of an earlier one ends
};

// The parameters of a coroutine live in its frame, except what references and views refer to.
template <class T>
inline constexpr bool kIsView =
    std::same_as<T, std::string_view> || std::same_as<T, wire::MessageView> ||
    wire::TypedMessage<T> ||
    requires { requires std::same_as<typename T::ValueType, std::string_view>; };
template <class T>
inline constexpr bool kIsConversing = requires { typename T::Conversing; };
// A lambda is passed to its coroutine as a const reference: it ends with its statement.
template <class P>
inline constexpr bool kMayEndEarly =
    kIsView<std::remove_cvref_t<P>> || std::is_rvalue_reference_v<P> ||
    (std::is_lvalue_reference_v<P> && std::is_const_v<std::remove_reference_t<P>> &&
     !kIsConversing<std::remove_cvref_t<P>>);

template <class... Parameters>
struct ConversationParameters {
  static_assert((std::same_as<Parameters, Session&> + ... + 0) == 1,
                "a conversation has one parameter of the type Session&");
  static_assert(!(kMayEndEarly<Parameters> || ...),
                "a parameter of a conversation must outlive its first co_await: take a "
                "std::string or a Draft by value, not a view or a const reference, and write a "
                "function, not a lambda");
  using promise_type = ConversationPromise;
};

}  // namespace detail

// A coroutine of one session that awaits its messages: what a function returns that has one
// parameter Session& and uses co_await next<M>(). It begins with start(). The session owns it from
// then on, until the function returns; or it destroys it when it is destroyed itself, by remove()
// or at the end of the engine: then the coroutine is not resumed, its local objects are destroyed,
// and their destructors may call no function of the session but id() and name().
//
// Arguments are taken by value, or by reference to objects that live longer, such as Session& and
// the application. A parameter that is a view or a const reference does not compile, nor does a
// lambda. The coroutine's frame is its only allocation in steady state. Only the thread of the
// session's event loop.
class [[nodiscard("a conversation begins with start()")]] Conversation {
 public:
  // For the compiler.
  explicit Conversation(detail::ConversationPromise& promise) noexcept : promise_{&promise} {}
  // The other one is then empty.
  Conversation(Conversation&& other) noexcept : promise_{std::exchange(other.promise_, nullptr)} {}
  Conversation& operator=(Conversation&&) = delete;
  // Destroys a conversation that was not started.
  ~Conversation();

  // Runs the coroutine until its first wait, within this call, and so within the callback that
  // makes the call. Throws what the coroutine throws before its first wait, and std::bad_alloc.
  // Call it once: an empty conversation gives an empty handle.
  //
  //   trade(session, "A1").start();
  ConversationHandle start();

 private:
  detail::ConversationPromise* promise_;  // null: it is empty
};

// Cancels a conversation. It may live longer than the conversation, its session and the engine, and
// may be dropped: the conversation goes on. It can be moved, not copied. Only the thread of the
// session's event loop.
class ConversationHandle {
 public:
  ConversationHandle() = default;  // of no conversation
  // For the engine.
  explicit ConversationHandle(detail::ConversationPromise& promise) noexcept;
  // The other one is then of no conversation.
  ConversationHandle(ConversationHandle&& other) noexcept;
  // The conversation that it had goes on.
  ConversationHandle& operator=(ConversationHandle&& other) noexcept;
  // The conversation goes on.
  ~ConversationHandle();

  // Whether the conversation has not ended.
  [[nodiscard]] bool is_running() const noexcept { return promise_ != nullptr; }
  // Ends the wait of the conversation with WaitEnd::Cancelled; if it does not wait, its next one.
  // The conversation is resumed in the next turn of the loop, never within this call, in a callback
  // of its own; messages do not reach it before. Its further waits are not affected. False: it has
  // ended, or Session::call_after() refused a timer. Throws std::bad_alloc.
  bool cancel();

 private:
  friend class detail::ConversationPromise;

  void bind(detail::ConversationPromise* promise) noexcept;

  detail::ConversationPromise* promise_ = nullptr;
};

namespace detail {

template <class... Parameters>
[[nodiscard]] Session& session_among(Parameters&... parameters) noexcept {
  Session* found = nullptr;
  const auto look = [&](auto& parameter) {
    if constexpr (std::same_as<Session, std::remove_reference_t<decltype(parameter)>>) {
      found = &parameter;
    }
  };
  (look(parameters), ...);
  return *found;
}

class ConversationPromise : public Link {
 public:
  template <class... Parameters>
  explicit ConversationPromise(Parameters&... parameters) noexcept
      : session_{session_among(parameters...)} {}
  ~ConversationPromise() { leave_handle(); }

  [[nodiscard]] Conversation get_return_object() noexcept { return Conversation{*this}; }
  [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
  [[nodiscard]] static std::suspend_always final_suspend() noexcept { return {}; }
  static void return_void() noexcept {}
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

  template <class Application, class Where, class... Types>
  [[nodiscard]] Waiter<Where, Types...> await_transform(Next<Application, Where, Types...> next) {
    return {*this, next.timeout, std::move(next.where)};
  }

  // Runs the coroutine until its next wait. If it ends, destroys it and throws what it has thrown.
  void resume() {
    const auto frame = std::coroutine_handle<ConversationPromise>::from_promise(*this);
    frame.resume();
    if (!frame.done()) return;
    const std::exception_ptr thrown = std::move(thrown_);
    frame.destroy();
    if (thrown) std::rethrow_exception(thrown);
  }
  // Inlined, g++ would warn about the address of a discarded handle, which its destructor removes.
  [[gnu::noinline]] void set_handle(ConversationHandle* handle) noexcept { handle_ = handle; }
  // Its handle is then that of a conversation that has ended.
  void leave_handle() noexcept {
    if (handle_ != nullptr) std::exchange(handle_, nullptr)->promise_ = nullptr;
  }
  void destroy() noexcept {
    std::coroutine_handle<ConversationPromise>::from_promise(*this).destroy();
  }

  [[nodiscard]] Session& session() const noexcept { return session_; }

 private:
  friend class Wait;
  friend class engine::ConversationHandle;

  Session& session_;
  std::exception_ptr thrown_;
  ConversationHandle* handle_ = nullptr;
  Wait* wait_ = nullptr;       // null: it runs
  bool is_cancelled_ = false;  // its present wait, or the next one
};

inline TimerHandle Wait::call_after(std::chrono::nanoseconds delay) {
  return promise_.session().call_after(delay, [this](Session&) { finish(end_); });
}

inline bool Wait::begin(const std::optional<std::chrono::nanoseconds>& timeout) {
  if (std::exchange(promise_.is_cancelled_, false)) {
    end_ = WaitEnd::Cancelled;
    return false;
  }
  if (timeout) {
    timer_ = call_after(*timeout);
    if (!timer_) {
      end_ = WaitEnd::NoTimer;
      return false;
    }
  }
  SessionConversations::find(promise_.session())->add(*this);
  promise_.wait_ = this;
  return true;
}

inline bool Wait::cancel() {
  if (is_cancelled()) return true;
  const TimerHandle soon = call_after(std::chrono::nanoseconds{0});
  if (!soon) return false;
  promise_.session().cancel(timer_);
  timer_ = soon;
  end_ = WaitEnd::Cancelled;
  return true;
}

inline void Wait::finish(WaitEnd end) {
  if (timer_) promise_.session().cancel(timer_);
  leave();
  promise_.wait_ = nullptr;
  end_ = end;
  promise_.resume();
}

inline SessionConversations::~SessionConversations() {
  for (Link* at = conversations_.next(); at != &conversations_; at = at->next()) {
    static_cast<ConversationPromise&>(*at).leave_handle();
  }
  while (conversations_.previous() != &conversations_) {
    static_cast<ConversationPromise&>(*conversations_.previous()).destroy();
  }
}

inline void SessionConversations::add(ConversationPromise& promise) noexcept {
  promise.join(conversations_);
}

inline bool SessionConversations::offer(const char* type, const void* message) {
  for (Link* at = waits_.next(); at != &waits_; at = at->next()) {
    Wait& wait = static_cast<Wait&>(*at);
    if (wait.is_cancelled() || !wait.take_(wait, type, message, memory_)) continue;
    wait.finish(WaitEnd::Message);
    return true;
  }
  return false;
}

inline void SessionConversations::log_out(Session& session, FunctionRef<void()> on_logout) {
  std::size_t failures = 0;
  std::exception_ptr first;
  const auto run = [&](auto&& call) {
    try {
      call();
    } catch (...) {
      if (failures++ == 0) first = std::current_exception();
    }
  };
  if (SessionConversations* const all = find(session)) {
    ++all->round_;
    while (all->waits_.next() != &all->waits_) {
      Wait& wait = static_cast<Wait&>(*all->waits_.next());
      if (wait.round_ == all->round_) break;
      run([&] { wait.finish(wait.is_cancelled() ? WaitEnd::Cancelled : WaitEnd::LoggedOut); });
    }
  }
  run(on_logout);
  if (failures == 0) return;
  try {
    std::rethrow_exception(first);
  } catch (const std::exception& error) {
    if (failures == 1) throw;
    throw std::runtime_error{std::to_string(failures) +
                             " functions threw, the first of them: " + error.what()};
  }
}

struct AnyMessage {
  template <class M>
  [[nodiscard]] bool operator()(const M&) const noexcept {
    return true;
  }
};

template <class T>
concept Duration = std::convertible_to<T, std::chrono::nanoseconds>;

}  // namespace detail

inline Conversation::~Conversation() {
  if (promise_ != nullptr) promise_->destroy();
}

inline ConversationHandle Conversation::start() {
  if (promise_ == nullptr) return {};
  auto& all = detail::SessionConversations::of(promise_->session());
  detail::ConversationPromise& promise = *std::exchange(promise_, nullptr);
  all.add(promise);
  ConversationHandle handle{promise};
  promise.resume();
  return handle;
}

inline ConversationHandle::ConversationHandle(detail::ConversationPromise& promise) noexcept {
  bind(&promise);
}

inline ConversationHandle::ConversationHandle(ConversationHandle&& other) noexcept {
  *this = std::move(other);
}

inline ConversationHandle& ConversationHandle::operator=(ConversationHandle&& other) noexcept {
  if (this != &other) bind(std::exchange(other.promise_, nullptr));
  return *this;
}

inline ConversationHandle::~ConversationHandle() { bind(nullptr); }

inline void ConversationHandle::bind(detail::ConversationPromise* promise) noexcept {
  if (promise_ != nullptr) promise_->set_handle(nullptr);
  promise_ = promise;
  if (promise_ != nullptr) promise_->set_handle(this);
}

inline bool ConversationHandle::cancel() {
  if (promise_ == nullptr) return false;
  if (promise_->wait_ != nullptr) return promise_->wait_->cancel();
  promise_->is_cancelled_ = true;
  return true;
}

// The base of an application that has conversations; it has no data.
//
//   struct Trader : nexusfix::Conversations<Trader> {
//     void on_logon(Session& session) { trade(session).start(); }
//     nexusfix::Conversation trade(Session& session) {
//       auto sent = session.send<fix44::NewOrderSingle>(...);
//       auto report = co_await next<fix44::ExecutionReport>(5s);
//       if (!report) co_return complain(to_string(report.end()));
//       ...
//     }
//     void on_message(Session&, const fix44::ExecutionReport&) {}  // no conversation waits for it
//   };
template <class Application>
class Conversations {
 public:
  // For the engine.
  using Conversing = detail::SessionConversations;

  // `co_await next<M>()` in a Conversation waits for the next message M of its session, and gives a
  // Received<M>. The application has an on_message() for M as well: a message goes to the
  // conversation that has waited longest for it, and to on_message() if none waits. The coroutine
  // is resumed within the callback of the message, is a part of its transaction, and accepts it. An
  // exception of the coroutine ends it, and is that of the callback.
  //
  // The wait ends without a message when the session is logged out, before on_logout(): with
  // WaitEnd::LoggedOut. A wait that begins later goes on until a message comes after a Logon.
  //
  // Several types, as in next<A, B>(): the first message of any of them, Received<A, B>::get<A>().
  template <wire::TypedMessage... Types>
  static auto next() {
    return make<Types...>(std::nullopt, detail::AnyMessage{});
  }
  // Ends with WaitEnd::TimedOut after this time, by a timer of the session.
  template <wire::TypedMessage... Types>
  static auto next(std::chrono::nanoseconds timeout) {
    return make<Types...>(timeout, detail::AnyMessage{});
  }
  // Waits for messages of which where(message) is true; the others go to other conversations or
  // to on_message(). where reads the message and does nothing else; it may be called for each
  // message of these types.
  //
  //   co_await next<fix44::ExecutionReport>(5s, [&](auto& m) { return m.cl_ord_id() == id; });
  template <wire::TypedMessage... Types, class Where>
    requires(!detail::Duration<Where>)
  static auto next(Where where) {
    return make<Types...>(std::nullopt, std::move(where));
  }
  // Waits with a time limit and a condition.
  template <wire::TypedMessage... Types, class Where>
  static auto next(std::chrono::nanoseconds timeout, Where where) {
    return make<Types...>(timeout, std::move(where));
  }

 private:
  template <class... Types, class Where>
  static auto make(const std::optional<std::chrono::nanoseconds>& timeout, Where where) {
    constexpr bool kIsBase = std::is_base_of_v<Conversations, Application>;
    static_assert(kIsBase,
                  "an application with conversations is: struct A : nexusfix::Conversations<A>");
    static_assert(sizeof...(Types) > 0, "name the awaited message: next<fix44::ExecutionReport>()");
    static_assert(
        !kIsBase ||
            (detail::kIsListed<Types, typename detail::HandlesOf<Application>::type> && ...),
        "the awaited message needs a public on_message(Session&, const M&): it gets those "
        "messages that no conversation waits for");
    constexpr bool kCanChoose = (std::predicate<Where&, const Types&> && ...);
    static_assert(kCanChoose, "next() takes a time, and a function: bool where(const M&)");
    if constexpr (kCanChoose) {
      return detail::Next<Application, Where, Types...>{timeout, std::move(where)};
    } else {
      return detail::Next<Application, detail::AnyMessage, Types...>{timeout, {}};
    }
  }
};

}  // namespace nexusfix::engine

// Checks the parameters of the coroutine.
template <class... Parameters>
struct std::coroutine_traits<nexusfix::engine::Conversation, Parameters...> {
  // For the compiler.
  using promise_type =
      typename nexusfix::engine::detail::ConversationParameters<Parameters...>::promise_type;
};

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::WaitEnd> = true;

namespace nexusfix {

// The names that an application uses.
using engine::Conversation;
using engine::ConversationHandle;
using engine::Conversations;
using engine::Received;
using engine::WaitEnd;

}  // namespace nexusfix
