// Why a frame is no message.
#include <algorithm>
#include <string>

#include <nexusfix/dictionary/clipped.hpp>
#include <nexusfix/dictionary/explain.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "dictionary/explain/marked_text.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kTrailerBytes = 7;  // 10=ddd and SOH

// Three digits: the sum of bytes modulo 256.
std::string check_sum_of(std::string_view bytes) {
  constexpr unsigned kModulus = 256;
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return std::to_string(1000 + sum % kModulus).substr(1);
}

// What stands where the CheckSum should be is no part of the sum.
std::string right_trailer(std::string_view frame) {
  std::string_view front = frame;
  if (front.ends_with(wire::kSoh)) front.remove_suffix(1);
  const std::size_t last = front.rfind(wire::kSoh) + 1;
  const std::string_view body =
      frame.substr(last).starts_with("10") ? frame.substr(0, last) : frame;
  return "10=" + check_sum_of(body) + ", if the message is whole";
}

void tell_check_sum(std::string_view frame, std::size_t begin, Explanation& told) {
  told.tag = tag::CheckSum;
  told.offset = std::min(begin + 3, frame.size());
  told.size = std::min<std::size_t>(3, frame.size() - told.offset);
  const std::string sum = check_sum_of(frame.substr(0, begin));
  told.problem = "CheckSum (10) is " + clipped(frame.substr(told.offset, told.size)) +
                 ", the bytes in front of it add up to " + sum;
  told.nearest = "10=" + sum;
}

void tell_body_length(std::string_view frame, std::size_t begin, Explanation& told) {
  told.tag = tag::BodyLength;
  const std::size_t end = std::min(frame.find(wire::kSoh, begin), frame.size());
  told.offset = std::min(begin, end);
  told.size = end - told.offset;
  const std::size_t body = end + 1;
  told.problem = "BodyLength (9) is " + clipped(frame.substr(told.offset, told.size));
  if (body + kTrailerBytes > frame.size()) return;
  const std::string size = std::to_string(frame.size() - kTrailerBytes - body);
  told.problem += ", the body has " + size + " bytes";
  told.nearest = "9=" + size;
}

}  // namespace

Explanation explain(const wire::ParseError& error, std::string_view frame) {
  Explanation told;
  told.offset = std::min<std::size_t>(error.offset, frame.size());
  switch (error.reason) {
    case wire::GarbledReason::NoBeginString:
      told.problem = "a message begins with BeginString (8), and this does not";
      told.nearest = "8=FIX.4.4";
      break;
    case wire::GarbledReason::FirstFieldsOutOfOrder:
      told.problem =
          "the first three fields are not BeginString (8), BodyLength (9) and MsgType (35)";
      told.nearest = "these three here, in this order";
      break;
    case wire::GarbledReason::BodyLengthMalformed:
      told.tag = tag::BodyLength;
      told.problem = "BodyLength (9) is not a number of bytes";
      break;
    case wire::GarbledReason::BodyLengthTooLarge:
      told.tag = tag::BodyLength;
      told.problem = "BodyLength (9) is more than a message may have";
      break;
    case wire::GarbledReason::TooLong:
      told.problem = "no CheckSum (10) within the length that a message may have";
      break;
    case wire::GarbledReason::CheckSumMalformed:
      told.tag = tag::CheckSum;
      told.problem = "the message does not end with 10=, three digits and SOH";
      told.nearest = right_trailer(frame);
      break;
    case wire::GarbledReason::CheckSumWrong:
      tell_check_sum(frame, told.offset, told);
      break;
    case wire::GarbledReason::BodyLengthWrong:
      tell_body_length(frame, told.offset, told);
      break;
  }
  MarkedText marked = mark(frame, told.offset, told.offset + told.size);
  told.message_line = std::move(marked.line);
  told.marks_line = std::move(marked.marks);
  return told;
}

}  // namespace nexusfix::dictionary
