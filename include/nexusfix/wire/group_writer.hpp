// Repeating groups of an Encoder.
#pragma once

#include <cstddef>
#include <span>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

// A repeating group that is being written. Each entry begins with entry(). The destructor checks
// that the number of entries is the announced one and that none is empty; otherwise the message
// fails with GroupCountWrong. Nested groups of an entry must be closed before the next entry
// begins.
//
//   auto parties = encoder.group(tag::NoPartyIDs, 2);
//   parties.entry().field<tag::PartyID>("A").field<tag::PartyRole>(1);
//   parties.entry().field<tag::PartyID>("B").field<tag::PartyRole>(3);
class GroupWriter {
 public:
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;
  // Ends the group with close().
  ~GroupWriter() { close(); }

  // Begins the next entry. The fields that follow belong to it.
  Encoder& entry() noexcept {
    check_entry();
    if (left_ == 0) {
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
      return *encoder_;
    }
    --left_;
    --encoder_->entries_owed_;
    return *encoder_;
  }

  // Ends the group before its destructor does. A second call does nothing.
  void close() noexcept {
    check_entry();
    if (left_ != 0) {
      encoder_->entries_owed_ -= left_;
      left_ = 0;
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
    }
    is_open_ = false;
  }

 private:
  friend class Encoder;

  GroupWriter(Encoder& encoder, Tag tag, std::size_t count) noexcept
      : encoder_{&encoder}, tag_{tag}, left_{count}, entry_{encoder.at_} {
    encoder.open_group(tag, count);
  }

  // Something must have been written since the count, or since the last entry began.
  void check_entry() noexcept {
    if (is_open_ && begun_ && encoder_->at_ == entry_) {
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
    }
    begun_ = true;
    entry_ = encoder_->at_;
  }

  Encoder* encoder_;
  Tag tag_;
  std::size_t left_;  // the number of entries to come
  char* entry_;       // where the last entry began
  bool begun_ = false;
  bool is_open_ = true;
};

inline GroupWriter Encoder::group(Tag count_tag, std::size_t count) noexcept {
  field(count_tag, count);
  return GroupWriter{*this, count_tag, count};
}

template <std::ranges::sized_range Entries, class WriteEntry>
Encoder& Encoder::group(Tag count_tag, const Entries& entries, WriteEntry&& write_entry) noexcept {
  GroupWriter writer = group(count_tag, std::ranges::size(entries));
  for (const auto& entry : entries) write_entry(writer.entry(), entry);
  return *this;
}

}  // namespace nexusfix::wire
