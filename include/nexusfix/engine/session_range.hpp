// The sessions of an engine as a range: Engine::sessions().
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

class EventLoop;

// A forward range of Session&, in the order of Engine::session(). It and its iterators are valid
// until a session is added or destroyed, or the engine ends. Session::remove() destroys no session
// before the end of a turn of its loop, so the body of a loop may call it.
class SessionRange {
 public:
  // Points to one session.
  class Iterator {
   public:
    using value_type = Session;
    using difference_type = std::ptrdiff_t;
    using pointer = Session*;
    using reference = Session&;
    using iterator_category = std::forward_iterator_tag;

    // Can only be assigned to, and compared with others of its kind.
    Iterator() = default;
    // The session.
    [[nodiscard]] Session& operator*() const noexcept;
    // The session.
    [[nodiscard]] Session* operator->() const noexcept { return &**this; }
    // Goes to the next session.
    Iterator& operator++() noexcept {
      ++index_;
      skip_ends();
      return *this;
    }
    // Goes to the next session, and returns the iterator before it.
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    // Whether both are at the same session, or at the end.
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class SessionRange;
    using Loop = const std::unique_ptr<EventLoop>*;
    Iterator(Loop loop, Loop end) noexcept : loop_{loop}, end_{end} { skip_ends(); }
    // From the end of a loop's sessions to the next loop.
    void skip_ends() noexcept;

    Loop loop_ = nullptr;
    Loop end_ = nullptr;  // after the last loop
    std::size_t index_ = 0;
  };

  // The first session.
  [[nodiscard]] Iterator begin() const noexcept { return {first_, end_}; }
  // After the last session.
  [[nodiscard]] Iterator end() const noexcept { return {end_, end_}; }

 private:
  friend class Engine;
  SessionRange(Iterator::Loop first, Iterator::Loop end) noexcept : first_{first}, end_{end} {}

  Iterator::Loop first_;
  Iterator::Loop end_;
};

}  // namespace nexusfix::engine
