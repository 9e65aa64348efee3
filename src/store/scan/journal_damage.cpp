#include "store/api/journal_damage.hpp"

#include "store/api/entry.hpp"

namespace nexusfix::store {

std::string range_text(NumberRange range) {
  if (range.first == range.last) return "number " + std::to_string(range.first);
  return "numbers " + std::to_string(range.first) + " to " + std::to_string(range.last);
}

std::string loss_text(const SessionTable& sessions, const SessionLoss& loss) {
  std::string text = "session " + sessions.name(loss.session) + ": ";
  if (loss.opened_in_it) text += "its name was lost; ";
  if (loss.reset_lost) text += "a reset was lost; ";
  if (loss.in_doubt) {
    text += "it may have used numbers from " +
            std::to_string(sessions.record(loss.session).next_outbound) + " on";
  } else if (loss.numbers) {
    text += range_text(*loss.numbers) + " of epoch " + std::to_string(loss.epoch) +
            (loss.numbers->first == loss.numbers->last ? " is lost" : " are lost");
  } else {
    text += "no number of the epoch after it is lost";
  }
  return text;
}

std::string unknown_loss_text() {
  return "messages may be lost, and which ones is not known: the checkpoint before them is "
         "damaged. The next numbers of all sessions are known from the one after them";
}

bool is_filler(std::string_view text) noexcept {
  return text.substr(0, kFillerText.size()) == kFillerText.substr(0, text.size());
}

std::uint64_t numbers_in(std::uint64_t damaged_bytes) noexcept {
  if (damaged_bytes < kRecordHeaderBytes + kEntryHeaderBytes) return 1;
  return (damaged_bytes - kRecordHeaderBytes) / kEntryHeaderBytes;
}

}  // namespace nexusfix::store
