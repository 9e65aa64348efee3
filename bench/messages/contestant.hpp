// A contestant: one library at one job, whose speed is measured. C++14, because the file that
// measures QuickFIX includes it. The loops are instantiated next to the measured code, so that no
// contestant has an extra call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/timer.hpp"

namespace nexusfix {
namespace bench {

// Forces the compiler to compute the value and to write the memory that it points to.
inline void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

// The maximum and the minimum number of calls between prepare() and settle().
struct CallLimits {
  std::size_t least = 1;
  std::size_t most = SIZE_MAX;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  // Does the job once for each input and compares the answers with the correct ones. Empty: all are
  // correct; otherwise the error. Runs before any measurement.
  virtual std::string check() = 0;
  // The number of inputs in rotation; a power of two.
  virtual std::size_t inputs() const = 0;
  // Some jobs fill a queue or a file, or need another running thread. These two are called before
  // and after each run() and time_each(), and their time is not measured.
  virtual void prepare() {}
  virtual void settle() {}
  virtual CallLimits limits() const { return {}; }
  // Does the job this number of times, without a pause.
  virtual void run(std::size_t calls) = 0;
  // Runs the calls and returns the ticks: the elapsed ones, unless a contestant has its own clock.
  virtual std::uint64_t timed_run(std::size_t calls) {
    const std::uint64_t before = read_ticks();
    run(calls);
    return read_ticks() - before;
  }
  // Runs the calls and measures each of them.
  virtual void time_each(std::uint32_t* ticks, std::size_t calls) = 0;
};

using ContestantPtr = std::unique_ptr<Contestant>;

// The correct answer for each input.
using Answers = std::vector<std::uint64_t>;

// Operation: a movable type with std::uint64_t operator()(std::size_t input). Check: a function
// that takes the operation and returns the error in its answers; empty: none.
template <class Operation, class Check>
class CheckedContestant : public Contestant {
 public:
  CheckedContestant(Operation operation, std::size_t inputs, Check check)
      : operation_(std::move(operation)), inputs_(inputs), check_(std::move(check)) {}

  std::string check() override { return check_(operation_); }
  std::size_t inputs() const override { return inputs_; }
  void run(std::size_t calls) override {
    std::size_t input = next_;
    const std::size_t mask = inputs_ - 1;
    for (std::size_t i = 0; i < calls; ++i) {
      keep(operation_(input));
      input = (input + 1) & mask;
    }
    next_ = input;
  }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    const std::size_t mask = inputs_ - 1;
    for (std::size_t i = 0; i < calls; ++i) {
      const std::uint64_t before = read_ticks();
      keep(operation_(next_));
      const std::uint64_t elapsed = read_ticks() - before;
      ticks[i] = elapsed < UINT32_MAX ? static_cast<std::uint32_t>(elapsed) : UINT32_MAX;
      next_ = (next_ + 1) & mask;
    }
  }

 protected:
  Operation& operation() { return operation_; }
  const Operation& operation() const { return operation_; }

 private:
  Operation operation_;
  std::size_t inputs_;
  std::size_t next_ = 0;
  Check check_;
};

// For an operation that has prepare(), settle() and limits(), too.
template <class Operation, class Check>
class PreparedContestant final : public CheckedContestant<Operation, Check> {
 public:
  using CheckedContestant<Operation, Check>::CheckedContestant;

  void prepare() override { this->operation().prepare(); }
  void settle() override { this->operation().settle(); }
  CallLimits limits() const override { return this->operation().limits(); }
};

template <class Operation, class Check>
ContestantPtr make_prepared_contestant(Operation operation, std::size_t inputs, Check check) {
  return ContestantPtr(
      new PreparedContestant<Operation, Check>(std::move(operation), inputs, std::move(check)));
}

template <class Operation, class Check>
ContestantPtr make_checked_contestant(Operation operation, std::size_t inputs, Check check) {
  return ContestantPtr(
      new CheckedContestant<Operation, Check>(std::move(operation), inputs, std::move(check)));
}

struct AnswersCheck {
  Answers expected;

  template <class Operation>
  std::string operator()(Operation& operation) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t answer = operation(i);
      if (answer != expected[i]) {
        return "input " + std::to_string(i) + ": " + std::to_string(expected[i]) +
               " is right, the answer was " + std::to_string(answer);
      }
    }
    return {};
  }
};

template <class Operation>
ContestantPtr make_contestant(Operation operation, const Answers& expected) {
  return make_checked_contestant(std::move(operation), expected.size(), AnswersCheck{expected});
}

}  // namespace bench
}  // namespace nexusfix
