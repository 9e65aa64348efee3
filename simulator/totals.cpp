#include <array>
#include <chrono>
#include <cstdio>

#include <nexusfix/simulator/totals.hpp>

namespace nexusfix::simulator {
namespace {

// The maximum of lines of a trace that are shown.
constexpr std::size_t kTraceLines = 120;

template <class Ratio>
std::string decimal(WorldTime time, int digits) {
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits,
                std::chrono::duration<double, Ratio>{time}.count());
  return buffer.data();
}

}  // namespace

void Totals::add(const Outcome& outcome) {
  const WorldStatistics& one = outcome.statistics;
  for (std::size_t i = 0; i < kFaults; ++i) sum.faults[i] += one.faults[i];
  sum.wire_messages += one.wire_messages;
  sum.delivered += one.delivered;
  sum.delivered_again += one.delivered_again;
  sum.promised += one.promised;
  sum.epochs += one.epochs;
  sum.starts += one.starts;
  sum.turns += one.turns;
  sum.rolls += one.rolls;
  sum.retired += one.retired;
  sum.resets_in_resend += one.resets_in_resend;
  simulated += outcome.duration;
  ++worlds;
}

std::string to_string(const Totals& totals) {
  const WorldStatistics& sum = totals.sum;
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::string text =
      number(totals.worlds) + (totals.worlds == 1 ? " world, " : " worlds, ") +
      decimal<std::ratio<3600>>(totals.simulated, 1) + " virtual hours\n" +
      "messages: " + number(sum.delivered) + " delivered (" + number(sum.delivered_again) +
      " of them again, marked), " + number(sum.promised) + " promised, " +
      number(sum.wire_messages) + " on the wire\n" + "process starts: " + number(sum.starts) +
      ", turns: " + number(sum.turns) + ", epochs begun by resets: " + number(sum.epochs) +
      ", new segments of journals: " + number(sum.rolls) +
      ", messages retired before they could be resent: " + number(sum.retired) +
      "\nresets within a session while a ResendRequest was answered: " +
      number(sum.resets_in_resend) + "\nfaults: ";
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (i > 0) text += i % 7 == 0 ? ",\n        " : ", ";
    text += std::string{to_string(static_cast<Fault>(i))} + ' ' + number(sum.faults[i]);
  }
  return text + '\n';
}

std::string describe_failure(const Scenario& scenario, const Violation& violation, bool shrinks) {
  std::string text = "FAILED  " + to_string(scenario) + "\n" + violation.invariant + ": " +
                     violation.what + "\nat " + decimal<std::ratio<1>>(violation.time, 6) + " s\n";
  Scenario shown = resolved(scenario);
  if (shrinks) {
    shown = shrink(scenario, violation);
    text += "The smallest scenario with this failure: " + to_string(shown) + "\n";
  }
  const Outcome again = run_scenario(shown, {.lines = kTraceLines, .stream = nullptr});
  text += again.trace;
  if (again.violation) text += again.violation->invariant + ": " + again.violation->what + "\n";
  return text + "Full trace: nexusfix simulate --trace --scenario '" + to_string(shown) + "'\n";
}

}  // namespace nexusfix::simulator
