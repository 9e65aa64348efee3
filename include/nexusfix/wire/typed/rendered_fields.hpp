// Fields that many messages have in common, rendered once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/values/byte_block.hpp>

namespace nexusfix::wire {

// Renders fields once, for use in any number of messages: Encoder::fields() copies them.
//
//   auto same = wire::RenderedFields::of([](wire::Encoder& e) { e.field<tag::Symbol>("AAPL"); });
class RenderedFields {
 public:
  // No fields.
  RenderedFields() = default;
  // The fields that write(encoder) writes, at most 1 MiB. An error of the encoder becomes the error
  // of each message that uses the fields. Allocates; using the fields does not.
  template <class Write>
  [[nodiscard]] static RenderedFields of(Write&& write);

 private:
  friend class Encoder;

  void set(std::string_view text);

  std::string text_;  // whole blocks; bytes_ of it are text
  std::size_t bytes_ = 0;
  std::uint32_t sum_ = 0;
  bool has_password_ = false;
  std::optional<EncodeError> error_;
};

NEXUSFIX_ALWAYS_INLINE Encoder& Encoder::fields(const RenderedFields& rendered) noexcept {
  if (rendered.has_password_) [[unlikely]]
    note_password();
  const std::size_t room = static_cast<std::size_t>(limit_ - at_);
  if (has_failed() || rendered.error_ || room < rendered.text_.size()) [[unlikely]] {
    if (rendered.error_) fail(rendered.error_->code, rendered.error_->tag);
    return take(append_rendered(place(), {rendered.text_.data(), rendered.bytes_}));
  }
  const char* const text = rendered.text_.data();
  for (std::size_t block = 0; block < rendered.text_.size(); block += detail::kBlockBytes) {
    detail::store_block(at_ + block, detail::load_block(text + block));
  }
  at_ += rendered.bytes_;
  slow_path_sum_ += rendered.sum_;
  return *this;
}

template <class Write>
RenderedFields RenderedFields::of(Write&& write) {
  constexpr std::size_t kBytesMax = 1U << 20U;
  RenderedFields rendered;
  for (std::string buffer(512, '\0');; buffer.resize(2 * buffer.size())) {
    Encoder encoder{buffer, HeaderFields{"-", "-", "-"}, MessageHeader{.msg_type = "-"}};
    const char* const begin = encoder.at_;
    encoder.note_passwords_in(rendered.has_password_);
    write(encoder);
    if (const auto message = encoder.finish(); !message) {
      if (message.error().code == EncodeErrorCode::BufferFull && buffer.size() < kBytesMax)
        continue;
      rendered.error_ = message.error();
      return rendered;
    }
    rendered.set({begin, static_cast<std::size_t>(encoder.at_ - begin)});
    return rendered;
  }
}

}  // namespace nexusfix::wire
