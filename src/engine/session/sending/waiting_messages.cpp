// Which messages have not left when a connection ends, for the audit of JournalInbound.
#include <algorithm>
#include <charconv>
#include <string_view>

#include "engine/session/sending/outbox.hpp"

namespace nexusfix::engine {
namespace {

// bytes: messages, of which the first may be cut at its beginning. 0: there is none. The text of a
// data field can only make the result lower.
std::uint64_t lowest_number(std::string_view bytes, std::uint64_t next_outbound) noexcept {
  constexpr std::string_view kMsgSeqNum =
      "\x01"
      "34=";
  if (bytes.empty()) return 0;
  std::uint64_t lowest = next_outbound;
  for (std::size_t at = 0; (at = bytes.find(kMsgSeqNum, at)) != std::string_view::npos;) {
    at += kMsgSeqNum.size();
    std::uint64_t number = 0;
    const auto read = std::from_chars(bytes.data() + at, bytes.data() + bytes.size(), number);
    if (read.ec == std::errc{}) lowest = std::min(lowest, number);
  }
  const bool is_cut = !bytes.starts_with("8=");
  return std::max<std::uint64_t>(1, is_cut && lowest > 1 ? lowest - 1 : lowest);
}

}  // namespace

std::uint64_t lowest_waiting(const SessionEntry& entry) noexcept {
  if (entry.resend.is_in_progress() || entry.until_logon.left_to_resend() != 0) return 1;
  const std::uint64_t next_outbound = entry.machine.sequence_numbers().next_outbound;
  std::uint64_t lowest = 0;
  const auto add = [&](const OutboundQueue& queue) {
    const std::span<const char> waiting = queue.waiting();
    const std::uint64_t number = lowest_number({waiting.data(), waiting.size()}, next_outbound);
    if (number != 0 && (lowest == 0 || number < lowest)) lowest = number;
  };
  if (entry.connection() != nullptr) add(entry.connection()->outbound());
  add(entry.resend.queued());
  add(entry.until_logon.queued());
  return lowest;
}

}  // namespace nexusfix::engine
