#include <algorithm>

#include <nexusfix/session/machine/out_of_order.hpp>

namespace nexusfix::session::detail {

bool OutOfOrderNumbers::note_processed(std::uint64_t msg_seq_num,
                                       std::uint64_t next_inbound) noexcept {
  drop_processed_below(next_inbound);
  std::uint64_t* const end = processed_.data() + processed_count_;
  std::uint64_t* const place = std::lower_bound(processed_.data(), end, msg_seq_num);
  if (place != end && *place == msg_seq_num) return true;
  if (processed_count_ == processed_.size()) return false;
  std::move_backward(place, end, end + 1);
  *place = msg_seq_num;
  ++processed_count_;
  first_processed_ = processed_.front();
  return true;
}

void OutOfOrderNumbers::drop_processed_below(std::uint64_t next_inbound) noexcept {
  std::uint64_t* const end = processed_.data() + processed_count_;
  std::uint64_t* const first = std::lower_bound(processed_.data(), end, next_inbound);
  processed_count_ =
      static_cast<std::size_t>(std::move(first, end, processed_.data()) - processed_.data());
  first_processed_ = processed_count_ == 0 ? 0 : processed_.front();
}

std::uint64_t OutOfOrderNumbers::after_processed(std::uint64_t msg_seq_num) const noexcept {
  for (std::size_t i = 0; i < processed_count_; ++i) {
    msg_seq_num += processed_[i] == msg_seq_num ? 1 : 0;
  }
  return msg_seq_num;
}

}  // namespace nexusfix::session::detail
