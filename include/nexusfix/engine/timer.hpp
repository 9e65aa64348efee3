// Timers that an application sets for a session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/stored_callback.hpp>

namespace nexusfix::engine {

class Session;

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
class TimerCallback : public detail::StoredCallback<Session&, kTimerBytesMax> {
 public:
  TimerCallback() = default;  // must not be called
  // Implicit, so that call_at() takes a lambda. A pointer to a function must not be null. Throws
  // what copying or moving the callback throws.
  template <class Callback>
    requires(!std::is_same_v<std::remove_cvref_t<Callback>, TimerCallback>)
  TimerCallback(Callback&& callback) {  // NOLINT: implicit
    using Given = std::decay_t<Callback>;
    static_assert(kTakesArgument<Given>, "a timer's callback has the argument (Session&)");
    static_assert(kReturnsNothing<Given>,
                  "a timer's callback returns nothing: handle a SendResult in it");
    static_assert(kFits<Given>, "a timer's callback may capture up to kTimerBytesMax bytes");
    emplace(std::forward<Callback>(callback));
  }
};

}  // namespace nexusfix::engine
