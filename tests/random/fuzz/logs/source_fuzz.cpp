// Every kind of source of the log tools, also one that --as forces on other bytes: texts, hex
// dumps, archives, captures and journals. No bytes break a reader, its errors are one line, and the
// messages do not depend on how the bytes arrive or on what else is read.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"

namespace {

using namespace nexusfix;
using namespace nexusfix::logs;
using testing::FakeDisk;
using testing::Input;
using testing::require;

constexpr std::string_view kMessage =
    "8=FIX.4.4\x01"
    "9=17\x01"
    "35=D\x01"
    "34=2\x01"
    "11=A1\x01"
    "10=000\x01";

struct Read {
  std::vector<std::string> messages;
  std::vector<std::string> errors;
  bool operator==(const Read&) const = default;
};

Read read(FakeDisk& disk, const LogRequest& request) {
  Read result;
  const LogReport report = read_logs(
      disk, request,
      {[&](const LogMessage& message) {
         require(message.bytes.starts_with("8=FIX") && message.bytes.ends_with('\x01'));
         require(!message.prefix.contains('\n') && message.path == request.files[message.file]);
         static_cast<void>(time_of_message(message));  // a line says what is not understood
         result.messages.emplace_back(message.prefix).append(message.bytes);
         return AfterMessage::Continue;
       },
       [] {},
       [&](std::string_view error) {
         require(!error.empty() && !error.contains('\n'));
         result.errors.emplace_back(error);
       }});
  require(report.files.size() == request.files.size());
  return result;
}

// The files of a journal with two messages.
const std::map<std::string, std::string>& journal() {
  static const auto kFiles = [] {
    FakeDisk disk;
    const auto opened =
        store::open_journal(disk, {.folder = "/j", .background = false}, WallTime{});
    require(opened.has_value());
    const auto key = opened->store->open_session("FIX.4.4:A->B", WallTime{});
    require(key.has_value());
    for (std::uint64_t number = 1; number <= 2; ++number) {
      store::Transaction event;
      event.outbound_message(*key, number, std::string{kMessage});
      const WallTime time{std::chrono::seconds{number}};
      require(opened->store->append(event, time).has_value());
    }
    require(opened->store->close().has_value());
    std::map<std::string, std::string> files;
    const auto names = disk.list("/j");
    for (const std::string& name : *names) files[name] = disk.contents("/j/" + name);
    return files;
  }();
  return kFiles;
}

void put_journal(FakeDisk& disk, Input& input) {
  auto files = journal();
  for (int i = 0; i < 4 && !input.empty(); ++i) {
    auto one = std::next(files.begin(), static_cast<std::ptrdiff_t>(input.byte() % files.size()));
    std::string& bytes = one->second;
    const std::size_t at = input.word() % (bytes.size() + 1);
    if (input.byte() % 2 == 0) {
      bytes.resize(at);
    } else if (at < bytes.size()) {
      bytes[at] = static_cast<char>(input.byte());
    }
  }
  require(disk.make_directories("/log").has_value());
  for (const auto& [name, bytes] : files) disk.set_contents("/log/" + name, bytes);
}

}  // namespace

// Byte 0: the kind. Then the bytes of the file, or changes of a journal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using enum SourceKind;
  constexpr std::array kKinds{Recognised, Text, Hex, Gzip, Zstd, Xz, Capture, Journal};
  Input input{data, size};
  const SourceKind kind = kKinds[input.byte() % kKinds.size()];
  FakeDisk disk;
  if (kind == Journal) {
    put_journal(disk, input);
  } else {
    disk.set_contents("/log", input.text(size));
  }
  LogRequest request{.files = {"/log"}, .kind = kind};
  const Read alone = read(disk, request);
  request.is_merged = true;
  require(read(disk, request) == alone);
  // After a file that does not exist. A folder with a journal is recognised, too.
  if (kind == Journal) request.kind = Recognised;
  request.files = {"/none", "/log"};
  request.is_merged = false;
  const Read after = read(disk, request);
  require(after.messages == alone.messages && after.errors.size() == alone.errors.size() + 1);
  return 0;
}
