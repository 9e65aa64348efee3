// Timers that an application sets for a session.
#pragma once

#include <chrono>
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

// Calls a function of an Argument&, which may be a member function of it. std::invoke() does the
// same, but reading <functional> would take a tenth of the time of compiling a small program.
template <class Callback, class Argument>
decltype(auto) call_with(Callback& callback, Argument& argument) {
  if constexpr (std::is_member_pointer_v<Callback>) {
    return (argument.*callback)();
  } else {
    return callback(argument);
  }
}

}  // namespace detail

// The size limit of a timer's callback with its captures. A larger one does not compile.
inline constexpr std::size_t kTimerBytesMax = 128;
// The timers that one session may have at a time.
inline constexpr std::size_t kTimersMax = 65'536;

// Names a timer for Session::cancel(). It may be kept after the timer has run or was cancelled,
// until its session is removed: no other timer of the session gets the same handle.
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

namespace detail {

// A callback with its captures in place: that of a timer, or of a result.
//
// Any function of an Argument that returns nothing and has at most BytesMax bytes. One whose move
// may throw is allocated: a capture of a const object, such as of a const std::string, has no move.
template <class Argument, std::size_t BytesMax>
class StoredCallback {
 public:
  // There is no callback: it must not be called.
  StoredCallback() = default;
  // Takes the callback of the other one, which then has none.
  StoredCallback(StoredCallback&& other) noexcept { take(other); }
  // Destroys its own callback first.
  StoredCallback& operator=(StoredCallback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  // Destroys the captures.
  ~StoredCallback() { reset(); }

  // Whether there is a callback.
  explicit operator bool() const noexcept { return operations_ != nullptr; }
  // Calls it. It may be called again.
  void operator()(Argument argument) { operations_->call(bytes_, argument); }
  // Destroys the callback with its captures.
  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(bytes_);
  }

 protected:
  template <class Given>
  static constexpr bool kTakesArgument = std::is_invocable_v<Given&, Argument>;
  template <class Given>
  [[nodiscard]] static consteval bool returns_nothing() {
    if constexpr (kTakesArgument<Given>) {
      return std::is_void_v<std::invoke_result_t<Given&, Argument>>;
    } else {
      return true;  // the error is about the argument
    }
  }
  template <class Given>
  static constexpr bool kFits =
      sizeof(Given) <= BytesMax && alignof(Given) <= alignof(std::max_align_t);

  // There must be no callback yet. Throws what copying or moving the callback throws.
  template <class Callback>
  void emplace(Callback&& callback) {
    using Given = std::decay_t<Callback>;  // of a function: its pointer
    if constexpr (kTakesArgument<Given> && kFits<Given>) {
      constexpr bool kMoves = std::is_nothrow_move_constructible_v<Given>;
      using Stored = std::conditional_t<kMoves, Given, Allocated<Given>>;
      void* const place = bytes_;
      if constexpr (kMoves) {
        ::new (place) Stored(std::forward<Callback>(callback));
      } else {
        ::new (place) Stored(std::make_unique<Given>(std::forward<Callback>(callback)));
      }
      operations_ = &kOperations<Stored>;
    }
  }

 private:
  struct Operations {
    void (*call)(void* callback, Argument argument);
    void (*move)(void* from, void* to) noexcept;  // destroys the one that it moves from
    void (*destroy)(void* callback) noexcept;
  };
  template <class Given>
  struct Allocated {
    std::unique_ptr<Given> given;
    void operator()(Argument argument) { call_with(*given, argument); }
  };
  template <class Stored>
  static Stored& as(void* callback) noexcept {
    return *std::launder(static_cast<Stored*>(callback));
  }
  template <class Stored>
  static constexpr Operations kOperations{
      .call = [](void* callback, Argument argument) { call_with(as<Stored>(callback), argument); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Stored(std::move(as<Stored>(from)));
            std::destroy_at(&as<Stored>(from));
          },
      .destroy = [](void* callback) noexcept { std::destroy_at(&as<Stored>(callback)); }};

  void take(StoredCallback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.bytes_, bytes_);
  }

  const Operations* operations_ = nullptr;  // null: there is no callback
  alignas(std::max_align_t) std::byte bytes_[BytesMax];
};

}  // namespace detail

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
  explicit(false) TimerCallback(Callback&& callback) {
    using Given = std::decay_t<Callback>;
    static_assert(kTakesArgument<Given>, "a timer's callback has the argument (Session&)");
    static_assert(returns_nothing<Given>(),
                  "a timer's callback returns nothing: handle a SendResult in it");
    static_assert(kFits<Given>, "a timer's callback may capture up to kTimerBytesMax bytes");
    emplace(std::forward<Callback>(callback));
  }
};

}  // namespace nexusfix::engine
