// What a callback of the application threw.
#pragma once

#include <exception>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine {

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

}  // namespace nexusfix::engine
