// Writes fields of any kind and uses the room up to its last byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

// Keeps the first error and writes nothing after it.
class ExactWriter {
 public:
  // limit: nullptr to write nothing.
  ExactWriter(char* at, const char* limit) noexcept : at_{at}, limit_{limit} {
    if (limit == nullptr) fail(EncodeErrorCode::BufferFull, 0);
  }

  // Errors: a tag that the caller may not write, an empty value, SOH in the value.
  void field(Tag tag, std::string_view value) noexcept {
    if (!can_be_written(tag)) return fail(EncodeErrorCode::TagInvalid, tag);
    text(tag, value);
  }
  void data_field(Tag tag, std::string_view value) noexcept {
    if (!can_be_written(tag)) return fail(EncodeErrorCode::TagInvalid, tag);
    if (value.empty()) return fail(EncodeErrorCode::EmptyValue, tag);
    if (begin_field(tag, value.size())) copy(value);
  }
  void empty_field(Tag tag) noexcept {
    if (!can_be_written(tag)) return fail(EncodeErrorCode::TagInvalid, tag);
    static_cast<void>(begin_field(tag, 0));
  }
  // The first field of the body has no SOH before it.
  void msg_type(std::string_view value) noexcept {
    is_first_ = true;
    text(tag::MsgType, value);
  }
  // Copies fields that were rendered earlier.
  void rendered(std::string_view fields, Tag first_tag) noexcept {
    if (failed_) return;
    if (room() < fields.size()) return fail(EncodeErrorCode::BufferFull, first_tag);
    copy(fields);
  }
  void fail(EncodeErrorCode code, Tag tag) noexcept {
    if (failed_) return;
    failed_ = true;
    error_ = {code, tag};
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] EncodeError error() const noexcept { return error_; }
  [[nodiscard]] char* at() const noexcept { return at_; }
  [[nodiscard]] std::uint32_t sum() const noexcept { return sum_; }

 private:
  [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(limit_ - at_); }

  void text(Tag tag, std::string_view value) noexcept {
    if (value.empty()) return fail(EncodeErrorCode::EmptyValue, tag);
    char* const field = at_;
    const std::uint32_t sum = sum_;
    if (!begin_field(tag, value.size())) return;
    if (copy(value)) {
      at_ = field;
      sum_ = sum;
      fail(EncodeErrorCode::SohInValue, tag);
    }
  }

  // Writes SOH, the tag and `=`, but only if the value fits, too.
  [[nodiscard]] bool begin_field(Tag tag, std::size_t value_bytes) noexcept {
    if (failed_) return false;
    char prefix[kUint64DigitsMax + 2];
    const std::size_t digits = digit_count(tag);
    prefix[0] = kSoh;
    write_digits_before(prefix + 1 + digits, tag, digits);
    prefix[1 + digits] = '=';
    std::string_view text{prefix, digits + 2};
    if (is_first_) text.remove_prefix(1);
    if (room() < text.size() || room() - text.size() < value_bytes) {
      fail(EncodeErrorCode::BufferFull, tag);
      return false;
    }
    is_first_ = false;
    copy(text);
    return true;
  }

  // Copies and sums the bytes that fit. Returns whether they contain SOH.
  bool copy(std::string_view bytes) noexcept {
    bool soh = false;
    detail::Block sums = detail::no_bytes();
    std::size_t at = 0;
    const auto take = [&](detail::Block block) {
      soh |= detail::holds_soh(block);
      sums = detail::add_bytes(sums, block);
    };
    for (; at + detail::kBlockBytes <= bytes.size(); at += detail::kBlockBytes) {
      const detail::Block block = detail::load_block(bytes.data() + at);
      take(block);
      detail::store_block(at_ + at, block);
    }
    if (at != bytes.size()) {
      take(detail::load_block(bytes.data() + at, bytes.size() - at));
      copy_short(at_ + at, bytes.data() + at, bytes.size() - at);
    }
    sum_ += detail::sum_of(sums);
    at_ += bytes.size();
    return soh;
  }

  char* at_;
  const char* limit_;
  std::uint32_t sum_ = 0;
  bool is_first_ = false;
  bool failed_ = false;
  EncodeError error_;
};

}  // namespace nexusfix::wire
