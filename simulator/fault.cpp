#include <array>

#include <nexusfix/simulator/fault.hpp>

namespace nexusfix::simulator {
namespace {

constexpr std::array<std::string_view, kFaults> kNames{
    "tear",       "delay",         "reorder",     "drop",         "half-open", "refuse",
    "congest",    "alter",         "power-loss",  "torn-write",   "disk-full", "write-error",
    "sync-error", "die-in-roll",   "clock-drift", "clock-jump",   "kill",      "pause",
    "throw",      "logout",        "reset",       "die-in-reset", "remount",   "reset-within",
    "ask-again",  "jump-in-flight"};
static_assert(!kNames.back().empty());

}  // namespace

std::string_view to_string(Fault fault) noexcept { return kNames[static_cast<std::size_t>(fault)]; }

std::expected<FaultSet, std::string> parse_faults(std::string_view text) {
  if (text == "all") return FaultSet::all();
  FaultSet set;
  if (text == "none") return set;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    std::size_t index = 0;
    while (index < kFaults && kNames[index] != word) ++index;
    if (index == kFaults) return std::unexpected{std::string{word}};
    set.add(static_cast<Fault>(index));
  }
  return set;
}

std::string to_string(FaultSet faults) {
  if (faults.empty()) return "none";
  if (faults == FaultSet::all()) return "all";
  std::string text;
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (!faults.has(static_cast<Fault>(i))) continue;
    if (!text.empty()) text += ',';
    text += kNames[i];
  }
  return text;
}

}  // namespace nexusfix::simulator
