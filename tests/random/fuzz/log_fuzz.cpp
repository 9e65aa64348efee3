// Files of other programs that the command reads: logs and captured streams with messages anywhere
// in them, and file stores of QuickFIX and QuickFIX/J. The messages do not depend on how the bytes
// are split, no text steers a terminal, our own log's messages are found again, and a store that
// was read and written again reads the same.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "logs/decode/decode.hpp"
#include "logs/messages/message_scanner.hpp"
#include "nexusfix/journal/quickfix/quickfix_store.hpp"
#include "observe/message_line.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/disks/fake_disk.hpp"

namespace {

using nexusfix::WallTime;
using nexusfix::command::QuickfixForm;
using nexusfix::command::QuickfixStore;
using nexusfix::command::QuickfixWriter;
using nexusfix::printing::MessageScanner;
using nexusfix::testing::FakeDisk;
using nexusfix::testing::Input;
using nexusfix::testing::require;

const std::string kFolder = "/store";
const std::string kPrefix = "FIX.4.4-A-B";

struct FoundMessage {
  std::string bytes;
  std::string prefix;
  bool operator==(const FoundMessage&) const = default;
};

std::vector<FoundMessage> scan(std::string_view text, std::size_t chunk_bytes,
                               const std::string& delimiter = {}) {
  MessageScanner scanner{delimiter};
  std::vector<FoundMessage> found;
  const auto consume_all = [&] {
    while (const auto message = scanner.next()) {
      found.push_back({std::string{message->bytes}, std::string{message->prefix}});
    }
  };
  while (!text.empty()) {
    scanner.feed(text.substr(0, chunk_bytes));
    text.remove_prefix(std::min(chunk_bytes, text.size()));
    consume_all();
  }
  scanner.finish();
  consume_all();
  return found;
}

// A complete message in our own log, without masks, is found unchanged.
void check_own_log(const std::string& bytes) {
  using namespace nexusfix::observe;
  MessageLine line{Masking{{}}};
  line.take({.time = WallTime{std::chrono::seconds{1'800'000'000}}, .bytes = bytes});
  std::string text;
  constexpr unsigned kDigits = 3;
  line.append_to_file(text, &kDigits);
  require(std::ranges::count(text, '\n') == 1 && text.back() == '\n');
  const std::string_view mark = std::string_view{text}.substr(0, text.find(" : "));
  if (mark.contains("MASKED")) return;
  nexusfix::wire::Parser parser;
  if (!parser.parse(bytes)) return;
  const auto found = scan(text, text.size());
  require(found.size() == 1 && found.front().bytes == bytes);
}

// The output of a command; text is a file on its disk.
template <class Command>
std::string output_of(Command command) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&text, &size);
  require(out != nullptr);
  command(out);
  std::fclose(out);
  std::string result{text, size};
  std::free(text);
  return result;
}

void check_printed(std::string_view text, bool is_summary) {
  FakeDisk disk;
  disk.set_contents("/log", text);
  nexusfix::command::DecodeOptions options;
  options.input.files = {"/log"};
  options.colour = nexusfix::command::ColourChoice::Never;
  options.summary = is_summary;
  const std::string shown = output_of([&](std::FILE* out) {
    const int status = nexusfix::command::decode_files(options, disk, {out, out});
    require(status == nexusfix::command::kSuccess || status == nexusfix::command::kFailure);
  });
  require(!shown.empty());
  require(std::ranges::none_of(shown, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\n') || byte == 0x7F;
  }));
}

void read_log(std::size_t how, std::string_view text) {
  const std::size_t all = std::max<std::size_t>(text.size(), 1);
  const std::vector<FoundMessage> whole = scan(text, all);
  require(whole == scan(text, how % 61 + 1));
  require(scan(text, all, ";") == scan(text, how % 61 + 1, ";"));
  for (const FoundMessage& message : whole) {
    require(message.bytes.starts_with("8=FIX") && message.bytes.ends_with('\x01'));
    require(!message.prefix.contains('\n'));
    check_own_log(message.bytes);
  }
  check_printed(text, how % 2 == 0);
}

using Messages = std::map<std::uint64_t, std::string>;

std::expected<Messages, std::string> messages_of(FakeDisk& disk, const QuickfixStore& store) {
  Messages found;
  std::uint64_t last = 0;
  const auto visited = nexusfix::command::visit_quickfix_messages(
      disk, store, 1,
      [&](std::uint64_t number, std::string_view bytes) -> std::expected<void, std::string> {
        require(number > std::exchange(last, number));
        found.emplace(number, bytes);
        return {};
      });
  if (!visited) return std::unexpected{visited.error()};
  return found;
}

void write_store(FakeDisk& disk, QuickfixForm form, const std::string& prefix,
                 const Messages& messages, const QuickfixStore& like) {
  QuickfixWriter writer{disk, kFolder, prefix, form};
  require(writer.begin().has_value());
  for (const auto& [number, bytes] : messages) require(writer.add(number, bytes).has_value());
  require(writer.finish(like.next_inbound, like.next_outbound, like.created.value_or(WallTime{}))
              .has_value());
}

FakeDisk sample_of(QuickfixForm form) {
  const auto message = [](int number) {
    return "8=FIX.4.4\x01"
           "9=50\x01"
           "35=D\x01"
           "34=" +
           std::to_string(number) +
           "\x01"
           "49=A\x01"
           "52=20261120-22:23:48\x01"
           "56=B\x01"
           "10=000\x01";
  };
  QuickfixStore like;
  like.next_inbound = 17;
  like.next_outbound = 5;
  like.created = WallTime{std::chrono::seconds{1'700'000'000}};
  FakeDisk disk;
  write_store(disk, form, kPrefix, {{1, message(1)}, {2, message(2)}, {4, message(4)}}, like);
  return disk;
}

// The number file and the time of other engines, for a store of QuickFIX or QuickFIX/J.
void make_foreign(std::map<std::string, std::string>& files, std::size_t kind) {
  const std::string path = kFolder + '/' + kPrefix;
  const auto utf = [](std::string_view text) {
    return std::string{'\0', static_cast<char>(text.size())}.append(text);
  };
  if (kind == 1) {  // one file
    files.erase(path + ".senderseqnums");
    files.erase(path + ".targetseqnums");
    files[path + ".seqnums"] = utf("5:17");
  } else if (kind == 2) {  // QuickFIX/n
    files[path + ".seqnums"] = "0000000005 : 0000000017  ";
    files[path + ".session"] = "20261120-22:23:48.123456 Z";
    std::ranges::replace(files[path + ".header"], ' ', '\n');
  } else if (kind == 3) {  // no numbers
    files.erase(path + ".seqnums");
    files.erase(path + ".header");
  }
}

// A store of either format whose files are unchanged, changed or cut.
void put_store(FakeDisk& disk, Input& input) {
  static const FakeDisk kSamples[] = {sample_of(QuickfixForm::Cpp), sample_of(QuickfixForm::Java)};
  constexpr std::array<std::string_view, 6> kSuffixes{
      ".body", ".header", ".seqnums", ".senderseqnums", ".targetseqnums", ".session"};
  const FakeDisk& sample = kSamples[input.byte() % 2];
  std::map<std::string, std::string> files;
  for (const std::string_view suffix : kSuffixes) {
    const std::string path = kFolder + '/' + kPrefix + std::string{suffix};
    if (sample.exists(path)) files[path] = sample.contents(path);
  }
  const std::size_t foreign = input.byte() % 8;
  const bool is_java = files.contains(kFolder + '/' + kPrefix + ".senderseqnums");
  if (is_java == (foreign == 1)) make_foreign(files, foreign);
  for (int i = 0; i < 8 && !input.empty(); ++i) {
    const std::string path =
        kFolder + '/' + kPrefix + std::string{kSuffixes[input.byte() % kSuffixes.size()]};
    const std::size_t kind = input.byte() % 5;
    const std::size_t at = input.byte();
    std::string& bytes = files[path];
    if (kind == 0) bytes = input.text(at);
    if (kind == 1) bytes.resize(std::min(at, bytes.size()));
    if (kind == 2) bytes += input.text(at % 32);
    if (kind == 3 && !bytes.empty()) bytes[at % bytes.size()] = static_cast<char>(input.byte());
    if (kind == 4) bytes.insert(std::min(at, bytes.size()), input.text(1));
  }
  require(disk.make_directories(kFolder).has_value());
  for (const auto& [path, bytes] : files) disk.set_contents(path, bytes);
}

void read_store(Input& input) {
  FakeDisk disk;
  put_store(disk, input);
  const auto prefixes = nexusfix::command::quickfix_prefixes(disk, kFolder);
  require(prefixes || !prefixes.error().empty());
  const auto store = nexusfix::command::read_quickfix_store(disk, kFolder, kPrefix, {});
  if (!store) return require(!store.error().empty());
  require(store->next_inbound >= 1 && store->next_outbound >= 1);
  const auto messages = messages_of(disk, *store);
  require(messages.has_value() && messages->size() == store->messages.size());
  FakeDisk copy;
  require(copy.make_directories(kFolder).has_value());
  using nexusfix::command::QuickfixKind;
  const bool is_java =
      store->kind == QuickfixKind::Java || store->kind == QuickfixKind::JavaOneFile;
  write_store(copy, is_java ? QuickfixForm::Java : QuickfixForm::Cpp, kPrefix, *messages, *store);
  const auto again = nexusfix::command::read_quickfix_store(copy, kFolder, kPrefix, store->session);
  require(again && again->session == store->session && !again->was_number_stale);
  require(again->next_inbound == store->next_inbound &&
          again->next_outbound == store->next_outbound &&
          (!store->created || floor<std::chrono::seconds>(*again->created) ==
                                  floor<std::chrono::seconds>(*store->created)));
  require(messages_of(copy, *again) == messages);
}

}  // namespace

// Byte 0 selects the kind, byte 1 how a log is split.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  if (input.byte() % 4 == 3) {
    read_store(input);
    return 0;
  }
  const std::size_t how = input.byte();
  if (size <= 2) return 0;
  read_log(how, {reinterpret_cast<const char*>(data) + 2, size - 2});
  return 0;
}
