#include <span>

#include "c/src/encoder_data.hpp"
#include "c/src/results.hpp"

using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
namespace wire = nexusfix::wire;

namespace nexusfix::c {

nxf_status report_encode_error(nxf_error* error, const wire::EncodeError& found) noexcept {
  const bool is_full = found.code == wire::EncodeErrorCode::BufferFull;
  return report(error, is_full ? NXF_BUFFER_TOO_SMALL : NXF_NOT_ENCODED,
                {.text = to_string(found.code), .tag = found.tag});
}

}  // namespace nexusfix::c

void nxf_encoder::give_up() noexcept {
  while (depth > 0) levels[--depth].reset();
  encoder.reset();
  fault.reset();
}

void nxf_encoder::close_groups() noexcept {
  if (depth != 0) fail({NXF_INVALID_ARGUMENT, 0, "a group has not ended"});
  while (depth > 0) levels[--depth].reset();
}

void nxf_encoder::fail(const Fault& found) noexcept {
  // An encoder that has failed before has no fields any more.
  if (!encoder || fault || encoder->written().empty()) return;
  fault = found;
  encoder->close();
}

namespace {

constexpr std::int64_t kTen = 10;

std::optional<wire::TimePrecision> precision_of(nxf_precision precision) {
  switch (precision) {
    case NXF_SECONDS:
    case NXF_MILLIS:
    case NXF_MICROS:
    case NXF_NANOS:
      return static_cast<wire::TimePrecision>(precision);
    default:
      return std::nullopt;
  }
}

nexusfix::WallTime time_of(std::int64_t nanoseconds) {
  return nexusfix::WallTime{std::chrono::nanoseconds{nanoseconds}};
}

std::optional<nexusfix::Decimal> decimal_of(nxf_decimal value) {
  constexpr std::int32_t kDigitsMax = nexusfix::Decimal::kScaleMax;
  if (value.exponent < -kDigitsMax || value.exponent > kDigitsMax) return std::nullopt;
  for (; value.exponent > 0; --value.exponent) {
    if (__builtin_mul_overflow(value.mantissa, kTen, &value.mantissa)) return std::nullopt;
  }
  return nexusfix::Decimal{value.mantissa, static_cast<unsigned>(-value.exponent)};
}

bool has_message(const nxf_encoder* encoder) {
  return encoder != nullptr && encoder->encoder.has_value();
}

}  // namespace

nxf_status nxf_encoder_new(nxf_encoder** encoder) {
  if (encoder == nullptr) return NXF_INVALID_ARGUMENT;
  *encoder = nullptr;
  return guarded(nullptr, [&] {
    *encoder = new nxf_encoder;
    return NXF_OK;
  });
}

void nxf_encoder_free(nxf_encoder* encoder) {
  if (encoder != nullptr && !encoder->is_of_session) delete encoder;
}

nxf_status nxf_encoder_begin(nxf_encoder* encoder, char* buffer, size_t size,
                             const nxf_header* header) {
  nxf_header given{};
  constexpr std::size_t kFirstSize =
      offsetof(nxf_header, orig_sending_time) + sizeof given.orig_sending_time;
  if (encoder == nullptr || buffer == nullptr || encoder->is_of_session) {
    return NXF_INVALID_ARGUMENT;
  }
  encoder->give_up();
  if (!nexusfix::c::read_options(header, kFirstSize, given)) return NXF_INVALID_ARGUMENT;
  const auto precision = precision_of(given.precision);
  const bool has_names = given.begin_string != nullptr && given.msg_type != nullptr &&
                         given.sender_comp_id != nullptr && given.target_comp_id != nullptr;
  if (!has_names || !precision) return NXF_INVALID_ARGUMENT;
  const wire::HeaderFields session{.begin_string = given.begin_string,
                                   .sender_comp_id = given.sender_comp_id,
                                   .target_comp_id = given.target_comp_id};
  const wire::MessageHeader fields{
      .msg_type = given.msg_type,
      .msg_seq_num = given.msg_seq_num,
      .sending_time = time_of(given.sending_time),
      .precision = *precision,
      .poss_dup = given.poss_dup != 0,
      .poss_resend = given.poss_resend != 0,
      .orig_sending_time = text_of(given.orig_sending_time, NXF_ZERO_TERMINATED)};
  encoder->encoder.emplace(std::span{buffer, size}, session, fields);
  return NXF_OK;
}

void nxf_encoder_text(nxf_encoder* encoder, uint32_t tag, const char* value, size_t size) {
  if (has_message(encoder)) encoder->encoder->field(tag, text_of(value, size));
}
void nxf_encoder_int(nxf_encoder* encoder, uint32_t tag, int64_t value) {
  if (has_message(encoder)) encoder->encoder->field(tag, value);
}
void nxf_encoder_decimal(nxf_encoder* encoder, uint32_t tag, nxf_decimal value) {
  if (!has_message(encoder)) return;
  if (const auto decimal = decimal_of(value)) {
    encoder->encoder->field(tag, *decimal);
  } else {
    encoder->fail({NXF_NOT_ENCODED, tag, "the number has more than 18 digits"});
  }
}
void nxf_encoder_time(nxf_encoder* encoder, uint32_t tag, int64_t nanoseconds,
                      nxf_precision precision) {
  if (!has_message(encoder)) return;
  if (const auto digits = precision_of(precision)) {
    encoder->encoder->field(tag, time_of(nanoseconds), *digits);
  } else {
    encoder->fail({NXF_INVALID_ARGUMENT, tag, "there is no such nxf_precision"});
  }
}
void nxf_encoder_char(nxf_encoder* encoder, uint32_t tag, char value) {
  if (has_message(encoder)) encoder->encoder->field(tag, value);
}
void nxf_encoder_bool(nxf_encoder* encoder, uint32_t tag, int32_t value) {
  if (has_message(encoder)) encoder->encoder->field(tag, value != 0);
}
void nxf_encoder_data(nxf_encoder* encoder, uint32_t length_tag, uint32_t data_tag,
                      const char* value, size_t size) {
  if (has_message(encoder)) encoder->encoder->data(length_tag, data_tag, text_of(value, size));
}

void nxf_encoder_group(nxf_encoder* encoder, uint32_t count_tag, size_t count) {
  if (!has_message(encoder)) return;
  if (encoder->depth == encoder->levels.size()) {
    encoder->fail({NXF_INVALID_ARGUMENT, count_tag, "groups are more than 7 deep"});
    return;
  }
  encoder->levels[encoder->depth++].emplace(*encoder->encoder, count_tag, count);
}

void nxf_encoder_entry(nxf_encoder* encoder) {
  if (!has_message(encoder)) return;
  if (encoder->depth == 0) {
    encoder->fail({NXF_INVALID_ARGUMENT, 0, "an entry is not within a group"});
    return;
  }
  encoder->levels[encoder->depth - 1]->writer.entry();
}

void nxf_encoder_group_end(nxf_encoder* encoder) {
  if (!has_message(encoder)) return;
  if (encoder->depth == 0) {
    encoder->fail({NXF_INVALID_ARGUMENT, 0, "the end of a group that has not begun"});
    return;
  }
  encoder->levels[--encoder->depth].reset();
}

nxf_status nxf_encoder_finish(nxf_encoder* encoder, nxf_text* message, nxf_error* error) {
  if (encoder == nullptr || message == nullptr) {
    return refuse_argument(error, "nxf_encoder_finish: an argument is NULL");
  }
  *message = {};
  if (!encoder->encoder) return refuse_argument(error, "no message has begun");
  if (encoder->is_of_session) {
    return refuse_argument(error, "nxf_session_send() finishes a message of a session");
  }
  encoder->close_groups();
  const auto finished = encoder->encoder->finish();
  const auto fault = encoder->fault;
  encoder->give_up();
  if (fault) return report(error, fault->status, {.text = fault->text, .tag = fault->tag});
  if (!finished) return nexusfix::c::report_encode_error(error, finished.error());
  *message = nexusfix::c::to_text(*finished);
  return NXF_OK;
}
