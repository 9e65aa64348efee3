// What a callback of the application threw, and how a step is undone.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Runs a callback. Returns what it threw; null: nothing.
[[nodiscard]] inline std::exception_ptr exception_of(FunctionRef<void()> callback) noexcept {
  try {
    callback();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// The text of an exception; valid while `thrown` is.
[[nodiscard]] inline std::string_view what_of(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

// Undoes a step at the end of a scope that an exception leaves, without a handler that throws it
// again. Calls undo() at the end of the scope, unless keep() was called. undo() must not throw.
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

}  // namespace nexusfix
