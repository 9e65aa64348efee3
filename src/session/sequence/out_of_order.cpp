#include <algorithm>

#include "session/api/sequence.hpp"

namespace nexusfix::session::detail {

bool OutOfOrderNumbers::record_processed(std::uint64_t msg_seq_num,
                                         std::uint64_t next_inbound) noexcept {
  drop_counted_below(next_inbound);
  std::uint64_t* const end = processed_.data() + processed_count_;
  std::uint64_t* const place = std::lower_bound(processed_.data(), end, msg_seq_num);
  if (place != end && *place == msg_seq_num) return true;
  if (processed_count_ == processed_.size()) return false;
  std::move_backward(place, end, end + 1);
  *place = msg_seq_num;
  ++processed_count_;
  find_first_counted();
  return true;
}

void OutOfOrderNumbers::record_buffered(std::uint64_t msg_seq_num) noexcept {
  record_received(msg_seq_num);
  highest_buffered_ = std::max(highest_buffered_, msg_seq_num);
  if (msg_seq_num < filled_begin_ || msg_seq_num >= filled_end_) return;
  filled_begin_ = msg_seq_num + 1;
  find_first_counted();
}

void OutOfOrderNumbers::record_filled(std::uint64_t begin, std::uint64_t end) noexcept {
  if (end <= filled_end_) return;
  filled_begin_ = std::max(begin, highest_buffered_ + 1);
  filled_end_ = end;
  find_first_counted();
}

void OutOfOrderNumbers::drop_counted_below(std::uint64_t next_inbound) noexcept {
  std::uint64_t* const end = processed_.data() + processed_count_;
  std::uint64_t* const first = std::lower_bound(processed_.data(), end, next_inbound);
  processed_count_ =
      static_cast<std::size_t>(std::move(first, end, processed_.data()) - processed_.data());
  filled_begin_ = std::max(filled_begin_, next_inbound);
  find_first_counted();
}

void OutOfOrderNumbers::find_first_counted() noexcept {
  first_counted_ = processed_count_ == 0 ? 0 : processed_.front();
  if (filled_begin_ >= filled_end_) return;
  first_counted_ = first_counted_ == 0 ? filled_begin_ : std::min(first_counted_, filled_begin_);
}

std::uint64_t OutOfOrderNumbers::after_counted(std::uint64_t msg_seq_num) const noexcept {
  const auto after_filled = [this](std::uint64_t number) {
    return number >= filled_begin_ && number < filled_end_ ? filled_end_ : number;
  };
  msg_seq_num = after_filled(msg_seq_num);
  for (std::size_t i = 0; i < processed_count_; ++i) {
    if (processed_[i] == msg_seq_num) msg_seq_num = after_filled(msg_seq_num + 1);
  }
  return msg_seq_num;
}

}  // namespace nexusfix::session::detail
