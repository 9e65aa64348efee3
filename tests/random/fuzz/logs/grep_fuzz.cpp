// Logs in any form, and expressions of `nexusfix grep`. An archive, a hex dump or a text never
// breaks a reader, messages do not depend on how they are read, and an expression decides by bytes
// as it does by fields.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "logs/grep/matcher.hpp"
#include "logs/output/json_objects.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "nexusfix/messages/decoded_message.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/disks/fake_disk.hpp"

namespace {

using namespace nexusfix::logs;
using nexusfix::testing::FakeDisk;
using nexusfix::testing::Input;
using nexusfix::testing::require;

std::vector<std::string> read(FakeDisk& disk, bool is_merged) {
  std::vector<std::string> found;
  const LogRequest request{.files = {"/log"}, .is_merged = is_merged};
  read_logs(
      disk, request,
      {[&](const LogMessage& message) {
         found.emplace_back(message.bytes);
         require(message.bytes.starts_with("8=FIX") && message.bytes.ends_with('\x01'));
         static_cast<void>(direction_in(message.prefix));
         return AfterMessage::Continue;
       },
       [] {}, [](std::string_view error) { require(!error.empty() && !error.contains('\n')); }});
  return found;
}

class Keeping final : public ChunkWork {
 public:
  explicit Keeping(std::vector<std::string>& all) : all_{all} {}
  void each(const LogMessage& message) override { found_.emplace_back(message.bytes); }
  AfterMessage take() override {
    std::ranges::move(found_, std::back_inserter(all_));
    found_.clear();
    return AfterMessage::Continue;
  }
  void discard() override { found_.clear(); }

 private:
  std::vector<std::string>& all_;
  std::vector<std::string> found_;
};

// By two threads, in chunks that are small, but not too small: a hand-over takes time, too. A
// capture and a journal have one.
std::vector<std::string> read_in_chunks(FakeDisk& disk, std::size_t log_bytes,
                                        std::size_t chunk_bytes) {
  constexpr std::size_t kChunksMax = 16;
  chunk_bytes = std::max(chunk_bytes, log_bytes / kChunksMax);
  std::vector<std::string> found;
  const LogRequest request{.files = {"/log"}, .jobs = 2, .chunk_bytes = chunk_bytes};
  const auto each = [&](const LogMessage& message) {
    found.emplace_back(message.bytes);
    return AfterMessage::Continue;
  };
  const auto make = [&]() -> std::unique_ptr<ChunkWork> {
    return std::make_unique<Keeping>(found);
  };
  read_logs(disk, request, {each, [] {}, [](std::string_view) {}, kWaitForMore, make});
  return found;
}

// The fields are those of the reader for people.
void check_fields(std::string_view bytes) {
  MessageFields fields;
  fields.read(bytes);
  const auto decoded = nexusfix::printing::decode_message(bytes);
  require(fields.all().size() == decoded.fields.size());
  for (std::size_t i = 0; i < decoded.fields.size(); ++i) {
    require(fields.all()[i].tag == decoded.fields[i].tag);
  }
  static JsonObjects objects{nullptr, {}};  // it has the names of every tag
  std::string json;
  objects.append(json, {.bytes = bytes}, {});
  for (const char c : json) require(static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
}

void check_expression(std::string_view text, std::string_view message) {
  static const nexusfix::command::FieldNames kNames;
  const auto parsed = parse_expression(text, kNames);
  if (!parsed) {
    const ExpressionError& error = parsed.error();
    require(!error.text.empty() && error.begin <= text.size());
    require(!underlined(text, error).empty());
    return;
  }
  Matcher matcher{*parsed};
  require(matcher.matches(message) == matcher.matches_fields(message));
}

}  // namespace

// Byte 0: the size of the expression. Then the expression, and the log.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  const std::string expression = input.text(input.byte());
  const std::string log = input.text(size);
  FakeDisk disk;
  disk.set_contents("/log", log);
  const std::vector<std::string> messages = read(disk, false);
  require(messages == read(disk, true));
  require(messages == read_in_chunks(disk, log.size(), expression.size() + 1));
  for (const std::string& message : messages) check_fields(message);
  check_fields(log);
  // A message begins with BeginString: an expression looks for other fields after a SOH only.
  check_expression(expression, messages.empty() ? "8=FIX.4.4\x01" + log : messages.front());
  return 0;
}
