#include <algorithm>
#include <utility>

#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "wire/digits.hpp"
#include "wire/parser_index.hpp"

namespace nexusfix::wire {

namespace {

constexpr std::string_view kBeginStringStart = "8=";
constexpr std::string_view kBodyLengthStart = "9=";
constexpr std::string_view kMsgTypeStart = "35=";
constexpr std::uint32_t kTrailerBytes = 7;  // 10=ddd and SOH
static_assert(kernels::kReadableBehind == kTrailerBytes);

constexpr std::uint32_t kCheckSumDigits = 3;
// Enough for nearly all messages without growing; 3 KiB.
constexpr std::uint32_t kFieldsAtFirst = 256;

static_assert(kernels::kTagMalformed == static_cast<int>(FaultRule::TagMalformed) + 1);
static_assert(kernels::kTagWithoutValue == static_cast<int>(FaultRule::TagWithoutValue) + 1);
static_assert(kernels::kValueEmpty == static_cast<int>(FaultRule::ValueEmpty) + 1);
static_assert(kernels::kDataLengthWrong == static_cast<int>(FaultRule::DataLengthWrong) + 1);

[[nodiscard]] std::unexpected<ParseError> failure(GarbledReason reason,
                                                  std::size_t offset) noexcept {
  return std::unexpected{ParseError{reason, static_cast<std::uint32_t>(offset)}};
}

// BeginString, BodyLength and the start of MsgType.
struct Head {
  std::uint32_t length_begin = 0;  // of BodyLength's digits
  std::uint32_t body_begin = 0;    // behind BodyLength's SOH
  std::uint64_t body_length = 0;
};

[[nodiscard]] std::expected<Head, ParseError> read_head(std::string_view frame) noexcept {
  if (!frame.starts_with(kBeginStringStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, 0);
  }
  const std::size_t second = std::min(frame.find(kSoh), frame.size() - 1) + 1;
  if (!frame.substr(second).starts_with(kBodyLengthStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, second);
  }
  Head head;
  std::size_t at = second + kBodyLengthStart.size();
  head.length_begin = static_cast<std::uint32_t>(at);
  for (; at < frame.size() && is_digit(frame[at]); ++at) {
    head.body_length = head.body_length * 10 + static_cast<std::uint64_t>(frame[at] - '0');
    if (head.body_length > kMessageBytesMax) {
      return failure(GarbledReason::BodyLengthTooLarge, head.length_begin);
    }
  }
  if (at == head.length_begin || at == frame.size() || frame[at] != kSoh) {
    return failure(GarbledReason::BodyLengthMalformed, at);
  }
  head.body_begin = static_cast<std::uint32_t>(at + 1);
  if (!frame.substr(head.body_begin).starts_with(kMsgTypeStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, head.body_begin);
  }
  return head;
}

// The number in the CheckSum field at body_end if it has the right form and follows a SOH.
[[nodiscard]] std::optional<std::uint32_t> read_trailer(std::string_view frame,
                                                        std::uint32_t body_end) noexcept {
  const char* const trailer = frame.data() + body_end;
  const auto hundreds = static_cast<std::uint32_t>(trailer[3] - '0');
  const auto tens = static_cast<std::uint32_t>(trailer[4] - '0');
  const auto ones = static_cast<std::uint32_t>(trailer[5] - '0');
  if (trailer[-1] != kSoh || trailer[0] != '1' || trailer[1] != '0' || trailer[2] != '=' ||
      hundreds > 9 || tens > 9 || ones > 9 || trailer[6] != kSoh) {
    return std::nullopt;
  }
  return hundreds * 100 + tens * 10 + ones;
}

void keep_fault(std::string_view frame, const kernels::RawFault& fault,
                std::optional<Fault>& kept) noexcept {
  kept.reset();
  if (fault.rule == kernels::kNoFault) return;
  kept = Fault{static_cast<FaultRule>(fault.rule - 1), fault.offset,
               frame.substr(fault.offset, fault.tag_bytes)};
}

// Why a frame that is no message is none: the rules one after the other, in the documented order.
// Cold; parse() has found that one of them is broken.
[[nodiscard]] ParseError diagnosed(std::string_view frame) noexcept {
  if (frame.size() > kMessageBytesMax) return {GarbledReason::TooLong, kMessageBytesMax};
  const std::expected<Head, ParseError> head = read_head(frame);
  if (!head) return head.error();
  // The head ends with `35=`, so a frame of head and trailer only is too short to have both.
  if (frame.size() < head->body_begin + kMsgTypeStart.size() + 1 + kTrailerBytes) {
    return {GarbledReason::CheckSumMalformed, static_cast<std::uint32_t>(frame.size())};
  }
  const auto body_end = static_cast<std::uint32_t>(frame.size()) - kTrailerBytes;
  if (!read_trailer(frame, body_end)) return {GarbledReason::CheckSumMalformed, body_end};
  if (head->body_length != body_end - head->body_begin) {
    return {GarbledReason::BodyLengthWrong, head->length_begin};
  }
  return {GarbledReason::CheckSumWrong, body_end};
}

// Whether 8, 9 and 35 stand at the front and BodyLength is right, told from the index.
[[nodiscard]] bool has_good_head(std::string_view frame, const kernels::FieldArrays& arrays,
                                 std::uint32_t field_count, std::uint32_t body_end) noexcept {
  constexpr std::uint32_t kFieldsMin = 3;
  if (field_count < kFieldsMin || arrays.tags[0] != tag::BeginString ||
      arrays.tags[1] != tag::BodyLength || arrays.tags[2] != tag::MsgType) {
    return false;
  }
  // Fields that are not in the index must not stand between them.
  const std::uint32_t body_begin = arrays.ends[1] + 1;
  if (arrays.begins[0] != kBeginStringStart.size() ||
      arrays.begins[1] != arrays.ends[0] + 1 + kBodyLengthStart.size() ||
      arrays.begins[2] != body_begin + kMsgTypeStart.size()) {
    return false;
  }
  const std::uint32_t wanted = body_end - body_begin;
  std::uint64_t length = 0;
  for (std::uint32_t at = arrays.begins[1]; at < arrays.ends[1]; ++at) {
    if (!is_digit(frame[at])) return false;
    length = length * 10 + static_cast<std::uint64_t>(frame[at] - '0');
    if (length > wanted) return false;
  }
  return length == wanted && arrays.begins[1] != arrays.ends[1];
}

}  // namespace

ParserIndex::ParserIndex(const DataFieldTable& data_fields, const kernels::KernelTable& kernel)
    : kernel_{kernel} {
  for (const DataFieldPair& pair : data_fields.pairs()) {
    // Tags that share their third four bits share a bit, so that those of one hundred do not
    // make those of another pass.
    const auto bit = static_cast<std::uint8_t>(1U << (pair.length >> 8U) % 8);
    data_tags_.low_nibbles[pair.length & 15U] |= bit;
    data_tags_.high_nibbles[(pair.length >> 4U) & 15U] |= bit;
    data_tags_.third_nibbles[(pair.length >> 8U) & 15U] |= bit;
    length_tags_.push_back(pair.length);
    paired_data_tags_.push_back(pair.data);
  }
  data_tags_.length_tags = length_tags_.data();
  data_tags_.data_tags = paired_data_tags_.data();
  data_tags_.count = static_cast<std::uint32_t>(length_tags_.size());
  reserve(kFieldsAtFirst);
}

void ParserIndex::reserve(std::uint32_t fields) {
  const std::size_t entries = std::size_t{fields} + kernels::kArraySlack;
  // Zeroed, because a lookup compares entries behind the last field too, before it discards them.
  storage_ = std::make_unique<std::uint32_t[]>(3 * entries + 1);
  std::uint32_t* const ends = storage_.get() + 1;
  ends[-1] = kernels::kBeforeFirst;
  arrays_ = {ends + entries, ends + 2 * entries, ends, static_cast<std::uint32_t>(entries)};
}

void ParserIndex::append_check_sum(std::uint32_t body_end,
                                   kernels::Indexed& indexed) const noexcept {
  const std::uint32_t at = indexed.field_count++;
  arrays_.tags[at] = tag::CheckSum;
  arrays_.begins[at] = body_end + kTrailerBytes - 1 - kCheckSumDigits;
  arrays_.ends[at] = body_end + kTrailerBytes - 1;
}

std::expected<MessageView, ParseError> ParserIndex::parse(std::string_view frame) {
  if (frame.size() <= kTrailerBytes || frame.size() > kMessageBytesMax) {
    return std::unexpected{diagnosed(frame)};
  }
  const auto body_end = static_cast<std::uint32_t>(frame.size()) - kTrailerBytes;
  const std::optional<std::uint32_t> check_sum = read_trailer(frame, body_end);
  if (!check_sum) return std::unexpected{diagnosed(frame)};

  kernels::Indexed indexed;
  kernel_.index_fields(frame.data(), body_end, data_tags_, arrays_, indexed);
  while (indexed.capacity_exceeded != 0) {
    // There are never more SOH than bytes, so doubling ends.
    reserve(std::min(2 * arrays_.capacity, body_end + kernels::kArraySlack));
    kernel_.index_fields(frame.data(), body_end, data_tags_, arrays_, indexed);
  }
  constexpr std::uint32_t kCheckSumModulus = 256;
  if (indexed.byte_sum % kCheckSumModulus != *check_sum ||
      !has_good_head(frame, arrays_, indexed.field_count, body_end)) {
    return std::unexpected{diagnosed(frame)};
  }
  append_check_sum(body_end, indexed);
  keep_fault(frame, indexed.first, faults_.first);
  keep_fault(frame, indexed.first_but_empty, faults_.first_but_empty);
  return MessageView{
      frame, {arrays_.tags, arrays_.begins, arrays_.ends, indexed.field_count}, faults_};
}

struct Parser::Index : ParserIndex {
  using ParserIndex::ParserIndex;
};

Parser::Parser(DataFieldTable data_fields)
    : index_{std::make_unique<Index>(data_fields, kernels::selected())} {}
Parser::Parser(Parser&& other) noexcept = default;
Parser& Parser::operator=(Parser&& other) noexcept = default;
Parser::~Parser() = default;

std::expected<MessageView, ParseError> Parser::parse(std::string_view frame) {
  return index_->parse(frame);
}

}  // namespace nexusfix::wire
