// A violated invariant of a world.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <nexusfix/simulator/simulated_clock.hpp>

namespace nexusfix::simulator {

// What a world has found.
struct Violation {
  std::string invariant;  // a short name: "number-reused", "message-lost"
  std::string what;       // the case, as text
  WorldTime time{};       // when it was found
};

// The first violation of a run; later ones are consequences.
class FirstViolation {
 public:
  // now is read at each found() and must outlive this object.
  explicit FirstViolation(const WorldTime& now) : now_{now} {}

  // Keeps a violation, if it is the first one.
  void found(std::string invariant, std::string what) {
    if (!violation_) violation_ = Violation{std::move(invariant), std::move(what), now_};
  }
  // The first violation; no value: there was none. Valid as long as this object.
  [[nodiscard]] const std::optional<Violation>& get() const noexcept { return violation_; }

 private:
  const WorldTime& now_;
  std::optional<Violation> violation_;
};

}  // namespace nexusfix::simulator
