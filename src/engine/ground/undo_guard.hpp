// Undoes a step at the end of a scope that an exception leaves, without a handler that throws it
// again.
#pragma once

#include <utility>

namespace nexusfix::engine {

// Calls undo() at the end of the scope, unless keep() was called. undo() must not throw.
template <class Undo>
class UndoGuard {
 public:
  explicit UndoGuard(Undo undo) noexcept : undo_{std::move(undo)} {}
  ~UndoGuard() {
    if (!is_kept_) undo_();
  }
  UndoGuard(const UndoGuard&) = delete;
  UndoGuard& operator=(const UndoGuard&) = delete;

  void keep() noexcept { is_kept_ = true; }

 private:
  Undo undo_;
  bool is_kept_ = false;
};

}  // namespace nexusfix::engine
