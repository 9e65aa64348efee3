// Timers that an application sets for a session.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

class Session;

namespace detail {

// Calls a function of a Session&, which may be a member function of Session. std::invoke() does the
// same, but reading <functional> would take a tenth of the time of compiling a small program.
template <class Callback>
decltype(auto) call_with(Callback& callback, Session& session) {
  if constexpr (std::is_member_pointer_v<Callback>) {
    return (session.*callback)();
  } else {
    return callback(session);
  }
}

}  // namespace detail

// The size limit of a timer's callback with its captures. A larger one does not compile.
inline constexpr std::size_t kTimerBytesMax = 128;
// The timers that one session may have at a time.
inline constexpr std::size_t kTimersMax = 65'536;

// Names a timer for Session::cancel(). It may be kept after the timer has run or was cancelled: no
// other timer gets the same handle.
struct TimerHandle {
  std::uint64_t number = 0;        // among the timers of its session, from 1 on; 0: no timer
  std::chrono::nanoseconds due{};  // since the zero of its clock
  std::uint32_t session = 0;       // SessionHandle::key
  bool is_of_wall_clock = false;   // due is a wall time
  // Whether a timer was set.
  explicit operator bool() const noexcept { return number != 0; }
  // Whether both name the same timer.
  friend bool operator==(const TimerHandle&, const TimerHandle&) = default;
};

// The callback of a timer, with its captures in place: any function of a Session& that returns
// nothing and has at most kTimerBytesMax bytes. One whose move may throw is allocated: a capture of
// a const object, such as of a const std::string, has no move.
class TimerCallback {
 public:
  TimerCallback() = default;  // must not be called
  // Implicit, so that call_at() takes a lambda. A pointer to a function must not be null. Throws
  // what copying or moving the callback throws.
  template <class Callback>
    requires(!std::is_same_v<std::remove_cvref_t<Callback>, TimerCallback>)
  TimerCallback(Callback&& callback) {     // NOLINT: implicit
    using Given = std::decay_t<Callback>;  // of a function: its pointer
    constexpr bool kTakesSession = std::is_invocable_v<Given&, Session&>;
    constexpr bool kReturnsNothing = !kTakesSession || requires(Given& given, Session& session) {
      { detail::call_with(given, session) } -> std::same_as<void>;
    };
    constexpr bool kFits =
        sizeof(Given) <= kTimerBytesMax && alignof(Given) <= alignof(std::max_align_t);
    static_assert(kTakesSession, "a timer's callback has the argument (Session&)");
    static_assert(kReturnsNothing, "a timer's callback returns nothing: handle a SendResult in it");
    static_assert(kFits, "a timer's callback may capture up to kTimerBytesMax bytes");
    if constexpr (kTakesSession && kFits) {
      if constexpr (std::is_nothrow_move_constructible_v<Given>) {
        store<Given>(std::forward<Callback>(callback));
      } else {
        store<Allocated<Given>>(std::make_unique<Given>(std::forward<Callback>(callback)));
      }
    }
  }
  // Takes the callback of the other one, which then has none.
  TimerCallback(TimerCallback&& other) noexcept { take(other); }
  // Destroys its own callback first.
  TimerCallback& operator=(TimerCallback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  // Destroys the captures.
  ~TimerCallback() { reset(); }

  // Calls it. It may be called again.
  void operator()(Session& session) { operations_->call(bytes_, session); }

 private:
  struct Operations {
    void (*call)(void* callback, Session& session);
    void (*move)(void* from, void* to) noexcept;  // destroys the one that it moves from
    void (*destroy)(void* callback) noexcept;
  };
  template <class Given>
  struct Allocated {
    std::unique_ptr<Given> given;
    void operator()(Session& session) { detail::call_with(*given, session); }
  };
  template <class Stored, class Argument>
  void store(Argument&& argument) {
    ::new (static_cast<void*>(bytes_)) Stored(std::forward<Argument>(argument));
    operations_ = &kOperations<Stored>;
  }
  template <class Stored>
  static Stored& as(void* callback) noexcept {
    return *std::launder(static_cast<Stored*>(callback));
  }
  template <class Stored>
  static constexpr Operations kOperations{
      .call = [](void* callback,
                 Session& session) { detail::call_with(as<Stored>(callback), session); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Stored(std::move(as<Stored>(from)));
            std::destroy_at(&as<Stored>(from));
          },
      .destroy = [](void* callback) noexcept { std::destroy_at(&as<Stored>(callback)); }};

  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(bytes_);
  }
  void take(TimerCallback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.bytes_, bytes_);
  }

  const Operations* operations_ = nullptr;  // null: there is no callback
  alignas(std::max_align_t) std::byte bytes_[kTimerBytesMax];
};

}  // namespace nexusfix::engine
