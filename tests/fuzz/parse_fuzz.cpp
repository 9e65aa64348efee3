// Parsing: every kernel gives the reference parser's answer. The input is tried as it is, and, so
// that the fuzzer need not invent checksums, as a body in an envelope that is right.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "fuzz/target.hpp"
#include "property/wire_reference.hpp"
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

void compare(const std::string& frame, const test::ReferenceMessage& wanted,
             const kernels::KernelTable& kernel) {
  ParserIndex parser{DataFieldTable::standard(), kernel};
  const std::vector<char> exact{frame.begin(), frame.end()};
  const auto message = parser.parse({exact.data(), exact.size()});
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input{reinterpret_cast<const char*>(data), size};
  const std::string body = test::with_soh("35=0|") + input + "\x01";
  const std::string framed = test::with_check_sum(
      test::with_soh("8=FIX.4.4|9=" + std::to_string(body.size()) + "|") + body);
  const test::ReferenceParser reference{DataFieldTable::standard()};
  const kernels::KernelList all = kernels::all();
  for (const std::string& frame : {input, framed}) {
    const test::ReferenceMessage wanted = reference.parse(frame);
    for (std::size_t i = 0; i < all.count; ++i) {
      if (all.tables[i]->supported()) compare(frame, wanted, *all.tables[i]);
    }
  }
  return 0;
}
