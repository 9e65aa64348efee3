// What the module shows to JavaScript: functions of numbers, and two areas of its memory. The
// caller writes bytes to the input, and reads the output after a call. Both may move at each call.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/wire/parser.hpp>

#include "wasm/src/log_decoder.hpp"
#include "wasm/src/order_answer.hpp"

namespace nexusfix::browser {
namespace {

struct Module {
  std::string input;
  std::string output;
  std::map<std::uint32_t, std::unique_ptr<LogDecoder>> decoders;
  std::uint32_t last = 0;  // handle of a decoder
};

Module& module() {
  static Module one;
  return one;
}

LogDecoder* decoder_of(std::uint32_t handle) {
  const auto found = module().decoders.find(handle);
  return found == module().decoders.end() ? nullptr : found->second.get();
}

constexpr std::uint32_t kAnswers = 6;
constexpr std::uint32_t kShowsPasswords = 1;

}  // namespace
}  // namespace nexusfix::browser

using nexusfix::browser::Answer;
using nexusfix::browser::decoder_of;
using nexusfix::browser::module;

#define NEXUSFIX_EXPORT(name) extern "C" [[clang::export_name(name)]]

// Makes the input of this size. Returns its address.
NEXUSFIX_EXPORT("input") char* nexusfix_input(std::size_t size) {
  std::string& input = module().input;
  input.resize_and_overwrite(size, [](char*, std::size_t made) { return made; });
  return input.data();
}

NEXUSFIX_EXPORT("output") const char* nexusfix_output() { return module().output.data(); }
NEXUSFIX_EXPORT("output_size") std::size_t nexusfix_output_size() { return module().output.size(); }

// input: the name of the log. Returns a handle; 0: there is no such answer.
NEXUSFIX_EXPORT("decoder_open")
std::uint32_t nexusfix_decoder_open(std::uint32_t answer, std::uint32_t flags) {
  using namespace nexusfix::browser;
  if (answer >= kAnswers) return 0;
  Module& all = module();
  all.decoders[++all.last] = std::make_unique<LogDecoder>(static_cast<Answer>(answer), all.input,
                                                          (flags & kShowsPasswords) != 0);
  return all.last;
}

NEXUSFIX_EXPORT("decoder_close") void nexusfix_decoder_close(std::uint32_t handle) {
  module().decoders.erase(handle);
}

// input: the next bytes of the log. is_last: no more will come.
NEXUSFIX_EXPORT("decoder_feed")
void nexusfix_decoder_feed(std::uint32_t handle, std::uint32_t is_last) {
  auto* const decoder = decoder_of(handle);
  if (decoder == nullptr) return;
  decoder->feed(module().input);
  if (is_last != 0) decoder->finish();
}

// Writes the next answers to the output. Returns the number of messages; 0: there are none.
NEXUSFIX_EXPORT("decoder_take")
std::uint32_t nexusfix_decoder_take(std::uint32_t handle, std::uint32_t messages_max) {
  constexpr std::size_t kOutputBytes = 1U << 20U;
  std::string& output = module().output;
  output.clear();
  auto* const decoder = decoder_of(handle);
  if (decoder == nullptr) return 0;
  return static_cast<std::uint32_t>(decoder->take(output, messages_max, kOutputBytes));
}

// The count of this number in DecoderCounts.
NEXUSFIX_EXPORT("decoder_count")
double nexusfix_decoder_count(std::uint32_t handle, std::uint32_t which) {
  const auto* const decoder = decoder_of(handle);
  if (decoder == nullptr) return 0;
  const nexusfix::browser::DecoderCounts counts = decoder->counts();
  const std::uint64_t all[] = {counts.messages, counts.faulty, counts.invalid, counts.skipped};
  return which < std::size(all) ? static_cast<double>(all[which]) : 0;
}

// input: the identifier, the name of the log, and the log. Writes the answer to the output; empty:
// no order has the identifier.
NEXUSFIX_EXPORT("order")
void nexusfix_order(std::size_t id_size, std::size_t name_size, std::uint32_t is_json) {
  const std::string_view input = module().input;
  if (id_size + name_size > input.size()) return module().output.clear();
  module().output = nexusfix::browser::answer_order({.log = input.substr(id_size + name_size),
                                                     .id = input.substr(0, id_size),
                                                     .name = input.substr(id_size, name_size),
                                                     .is_json = is_json != 0});
}

// Writes the name of the instruction set that the parser uses.
NEXUSFIX_EXPORT("kernel") void nexusfix_kernel() {
  module().output = nexusfix::wire::selected_isa().value_or("scalar");
}
