// Why a frame is not a message.
#include <algorithm>
#include <string>

#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/field.hpp>

#include "explanation/clipped.hpp"
#include "explanation/marked_text.hpp"

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

// Bytes at the position of the CheckSum do not belong to the sum.
std::string right_trailer(std::string_view frame) {
  std::string_view front = frame;
  if (front.ends_with(wire::kSoh)) front.remove_suffix(1);
  const std::size_t last = front.rfind(wire::kSoh) + 1;
  const std::string_view body =
      frame.substr(last).starts_with("10") ? frame.substr(0, last) : frame;
  return "10=" + check_sum_of(body) + ", if the message is complete";
}

void explain_check_sum(std::string_view frame, std::size_t begin, Explanation& result) {
  result.tag = tag::CheckSum;
  result.offset = std::min(begin + 3, frame.size());
  result.size = std::min<std::size_t>(3, frame.size() - result.offset);
  const std::string sum = check_sum_of(frame.substr(0, begin));
  result.problem = "CheckSum (10) is " + clipped(frame.substr(result.offset, result.size)) +
                   ", but the bytes before it add up to " + sum;
  result.nearest = "10=" + sum;
}

void explain_body_length(std::string_view frame, std::size_t begin, Explanation& result) {
  result.tag = tag::BodyLength;
  const std::size_t end = std::min(frame.find(wire::kSoh, begin), frame.size());
  result.offset = std::min(begin, end);
  result.size = end - result.offset;
  const std::size_t body = end + 1;
  result.problem = "BodyLength (9) is " + clipped(frame.substr(result.offset, result.size));
  if (body + kTrailerBytes > frame.size()) return;
  const std::string size = std::to_string(frame.size() - kTrailerBytes - body);
  result.problem += ", but the body has " + size + " bytes";
  result.nearest = "9=" + size;
}

}  // namespace

Explanation explain(const wire::ParseError& error, std::string_view frame) {
  Explanation result;
  result.offset = std::min<std::size_t>(error.offset, frame.size());
  switch (error.reason) {
    case wire::GarbledReason::NoBeginString:
      result.problem = "a message begins with BeginString (8), but this one does not";
      result.nearest = "8=FIX.4.4";
      break;
    case wire::GarbledReason::FirstFieldsOutOfOrder:
      result.problem =
          "the first three fields are not BeginString (8), BodyLength (9) and MsgType (35)";
      result.nearest = "these three fields here, in this order";
      break;
    case wire::GarbledReason::BodyLengthMalformed:
      result.tag = tag::BodyLength;
      result.problem = "BodyLength (9) is not a number of bytes";
      break;
    case wire::GarbledReason::BodyLengthTooLarge:
      result.tag = tag::BodyLength;
      result.problem = "BodyLength (9) is above the maximum length of a message";
      break;
    case wire::GarbledReason::TooLong:
      result.problem = "no CheckSum (10) within the maximum length of a message";
      break;
    case wire::GarbledReason::CheckSumMalformed:
      result.tag = tag::CheckSum;
      result.problem = "the message does not end with 10=, three digits and SOH";
      result.nearest = right_trailer(frame);
      break;
    case wire::GarbledReason::CheckSumWrong:
      explain_check_sum(frame, result.offset, result);
      break;
    case wire::GarbledReason::BodyLengthWrong:
      explain_body_length(frame, result.offset, result);
      break;
  }
  MarkedText marked = mark(frame, result.offset, result.offset + result.size);
  result.message_line = std::move(marked.line);
  result.marks_line = std::move(marked.marks);
  return result;
}

}  // namespace nexusfix::dictionary
