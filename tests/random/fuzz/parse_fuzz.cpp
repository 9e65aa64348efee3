// Parsing: every kernel returns the reference parser's result, for every policy. The input is tried
// unchanged and, so that the fuzzer need not invent checksums, with the right one appended and as a
// body in correct envelopes. Parsers that know the shape of such a frame get copies of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/target.hpp"
#include "random/property/wire/wire_generate.hpp"
#include "random/property/wire/wire_reference.hpp"
#include "unit/wire/message_text.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace {

using namespace nexusfix;
using namespace nexusfix::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_same(const std::optional<Fault>& got, const test::ReferenceFault* wanted) {
  require(got.has_value() == (wanted != nullptr));
  if (!got) return;
  require(got->rule == wanted->rule && got->offset == wanted->offset &&
          got->tag_text == wanted->tag_text);
}

// Kept from one input to the next, because its construction costs more than most inputs.
struct Policy {
  explicit Policy(Checks checks) : reference{DataFieldTable::standard(), checks} {
    const kernels::KernelList all = kernels::all();
    for (std::size_t i = 0; i < all.count; ++i) {
      if (!all.tables[i]->supported()) continue;
      parsers.emplace_back(DataFieldTable::standard(), *all.tables[i], checks);
    }
  }
  test::ReferenceParser reference;
  std::vector<wire::detail::ParserIndex> parsers;
};

void compare(std::string_view frame, const test::ReferenceMessage& wanted,
             wire::detail::ParserIndex& parser) {
  const auto message = parser.parse(frame);
  require(message.has_value() == !wanted.garbled.has_value());
  if (!message) {
    require(message.error().reason == *wanted.garbled && message.error().offset <= frame.size());
    return;
  }
  require(message->field_count() == wanted.fields.size());
  for (std::size_t i = 0; i < wanted.fields.size(); ++i) {
    const FieldView field = message->field(i);
    require(field.tag == wanted.fields[i].tag && field.value == wanted.fields[i].value &&
            field.offset == wanted.fields[i].value_offset);
    require(message->find(field.tag)->offset <= field.offset);
    static_cast<void>(message->get<Decimal>(field.tag));
    static_cast<void>(message->get<WallTime>(field.tag));
  }
  require_same(message->fault(), wanted.first_fault(true));
  require_same(message->fault_but_empty(), wanted.first_fault(false));
}

void compare(const std::string& frame, Policy& policy) {
  // A copy of exact size, so that the sanitizer detects a read after its end.
  const std::vector<char> exact{frame.begin(), frame.end()};
  const test::ReferenceMessage wanted = policy.reference.parse(frame);
  for (wire::detail::ParserIndex& parser : policy.parsers) {
    compare({exact.data(), exact.size()}, wanted, parser);
  }
}

// Changes a byte of a frame whose shape the parsers know, in a place that the input names. The
// parsers are new, so that each input alone decides what they know.
void compare_copies(const std::string& frame, std::string_view input) {
  constexpr std::size_t kTrailerBytes = 7;
  constexpr std::size_t kCopies = 2;
  if (frame.size() < wire::detail::FrameShape::kBytesMin ||
      frame.size() > wire::detail::FrameShape::kBytesMax)
    return;
  for (std::size_t i = 0; i < kCopies && 2 * i + 1 < input.size(); ++i) {
    Policy policy{{}};
    for (wire::detail::ParserIndex& parser : policy.parsers) {
      for (int learned = 0; learned < 2; ++learned) static_cast<void>(parser.parse(frame));
    }
    std::string copy = frame.substr(0, frame.size() - kTrailerBytes);
    copy[static_cast<unsigned char>(input[2 * i]) % copy.size()] = input[2 * i + 1];
    copy = test::with_check_sum(copy);
    const bool is_valid = (input.size() + i) % 4 != 0;
    compare(is_valid ? copy : test::Generator::with_raised_check_sum(copy), policy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Policy all_checks{{}};
  static Policy no_checks{{.check_sum = false, .body_length = false}};
  const std::string input{reinterpret_cast<const char*>(data), size};
  const std::string body = test::with_soh("35=0|") + input + "\x01";
  const std::string_view version = size % 2 == 0 ? "8=FIX.4.4|9=" : "8=FIXT.1.1|9=";
  const std::string head = std::string{version} + std::to_string(body.size()) + "|";
  compare(input, all_checks);
  compare(test::with_check_sum(input), all_checks);
  compare(test::with_check_sum(input), no_checks);
  const std::string framed = test::with_check_sum(test::with_soh(head) + body);
  compare(framed, all_checks);
  compare_copies(framed, input);
  return 0;
}
