#include "nexusfix/journal/quickfix/quickfix_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "base/api/utf8.hpp"

namespace nexusfix::command {
namespace {

template <class T>
using Result = std::expected<T, std::string>;

constexpr std::uint64_t kHeaderFileBytesMax = 1U << 30U;
constexpr std::uint64_t kSmallFileBytesMax = 4096;
constexpr std::uint32_t kMessageBytesMax = 512U << 20U;
constexpr std::size_t kJavaHeaderBytes = 16;

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \r\n"), text.size());
  return text.substr(first, text.find_last_not_of(" \r\n") + 1 - first);
}

// "length, text" as Java's writeUTF() writes it. Bytes after the text remain from a longer one.
Result<std::string> java_text(const std::string& path, std::string_view bytes) {
  if (bytes.size() < 2 || bytes.size() - 2 < big_endian(bytes.substr(0, 2)))
    return std::unexpected{path + ": a text after its length (2 bytes) was expected"};
  return std::string{bytes.substr(2, static_cast<std::size_t>(big_endian(bytes.substr(0, 2))))};
}

// The size of a text in Java: characters beyond U+FFFF count twice. Nothing: it is not UTF-8.
std::optional<std::uint64_t> java_characters(std::string_view text) {
  std::uint64_t count = 0;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return std::nullopt;
    count += size == 4 ? 2 : 1;
    text.remove_prefix(size);
  }
  return count;
}

bool is_java_text(std::string_view bytes) { return bytes.starts_with('\0'); }

// The files of one store, by their suffixes.
class Reader {
 public:
  Reader(Disk& disk, QuickfixStore& store) : disk_{disk}, store_{store} {}

  Result<void> run() {
    if (auto looked = look(); !looked) return looked;
    if (auto read = read_numbers(); !read) return read;
    if (auto read = read_created(); !read) return read;
    if (auto read = has(".header") ? read_header() : index_body(); !read) return read;
    return compare_numbers();
  }

 private:
  [[nodiscard]] std::string path(std::string_view suffix) const {
    return store_.path + std::string{suffix};
  }
  [[nodiscard]] bool has(std::string_view suffix) const {
    return std::ranges::find(there_, suffix) != there_.end();
  }
  [[nodiscard]] std::string_view small(std::string_view suffix) const {
    return suffix == ".seqnums"         ? seqnums_
           : suffix == ".senderseqnums" ? sender_
           : suffix == ".targetseqnums" ? target_
                                        : session_;
  }

  // Finds the files, reads the small ones, and recognises the engine that wrote them.
  Result<void> look() {
    for (const std::string_view suffix : kQuickfixSuffixes) {
      std::error_code ignored;
      const auto status = std::filesystem::status(path(suffix), ignored);
      // Opening a pipe waits for a writer.
      if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return std::unexpected{path(suffix) + ": it is no regular file"};
    }
    const std::size_t slash = store_.path.rfind('/');
    const auto names = disk_.list(store_.path.substr(0, slash));
    if (!names) return failure(names.error());
    for (const std::string_view suffix : kQuickfixSuffixes) {
      const std::string name = store_.path.substr(slash + 1) + std::string{suffix};
      if (std::ranges::find(*names, name) != names->end()) there_.push_back(suffix);
    }
    for (const auto& [suffix, bytes] : {std::pair{".seqnums", &seqnums_},
                                        {".senderseqnums", &sender_},
                                        {".targetseqnums", &target_},
                                        {".session", &session_}}) {
      if (!has(suffix)) continue;
      auto read = read_file(disk_, path(suffix), kSmallFileBytesMax);
      if (!read) return failure(read.error());
      *bytes = std::move(*read);
    }
    if (has(".header")) {
      auto read = read_file(disk_, path(".header"), kHeaderFileBytesMax);
      if (!read) return failure(read.error());
      header_ = std::move(*read);
    }
    return recognise();
  }

  Result<void> recognise() {
    const bool has_pair = has(".senderseqnums") || has(".targetseqnums");
    if (has_pair && has(".seqnums")) {
      return std::unexpected{
          store_.path +
          ": there are .seqnums (QuickFIX, or QuickFIX/J's one-file form) and .senderseqnums or "
          ".targetseqnums (QuickFIX/J); move away those that do not belong to the store"};
    }
    const bool is_binary = !header_.empty() && (header_[0] < '0' || header_[0] > '9');
    const bool is_java =
        seqnums_.empty() ? is_binary || is_java_text(session_) : is_java_text(seqnums_);
    if (has_pair) {
      const std::string& number = sender_.empty() ? target_ : sender_;
      const bool is_go = number.empty() ? session_.contains('T') : !is_java_text(number);
      store_.kind = is_go ? QuickfixKind::Go : QuickfixKind::Java;
    } else if (has(".seqnums")) {
      const bool is_net =
          seqnums_.ends_with("  ") || header_.contains('\n') || session_.contains(' ');
      store_.kind = is_java  ? QuickfixKind::JavaOneFile
                    : is_net ? QuickfixKind::Net
                             : QuickfixKind::Cpp;
    } else {
      store_.kind = QuickfixKind::BodyAlone;
      if (!has(".body")) {
        return std::unexpected{store_.path +
                               ": there is neither a .body with messages nor a file "
                               "of sequence numbers"};
      }
    }
    return {};
  }

  [[nodiscard]] static std::unexpected<std::string> no_number(const std::string& path,
                                                              std::string_view text) {
    return std::unexpected{
        fmt::format("{}: '{}' where a sequence number was expected", path, text)};
  }

  [[nodiscard]] static Result<void> read_number(const std::string& path, std::string_view text,
                                                std::uint64_t& to) {
    const auto number = to_number<std::uint64_t>(trimmed(text));
    if (!number || *number == 0 || *number >= kQuickfixNumberMax) return no_number(path, text);
    to = *number;
    return {};
  }

  // An empty file means 1, which both numbers have already.
  Result<void> read_numbers() {
    for (const auto& [suffix, number] : {std::pair{".senderseqnums", &store_.next_outbound},
                                         std::pair{".targetseqnums", &store_.next_inbound}}) {
      if (store_.kind != QuickfixKind::Java && store_.kind != QuickfixKind::Go) break;
      if (!has(suffix)) return std::unexpected{path(suffix) + ": there is no such file"};
      const std::string_view bytes = small(suffix);
      if (bytes.empty()) continue;
      Result<std::string> text{std::string{bytes}};
      if (store_.kind == QuickfixKind::Java) text = java_text(path(suffix), bytes);
      if (!text) return std::unexpected{text.error()};
      if (auto taken = read_number(path(suffix), *text, *number); !taken) return taken;
    }
    if (seqnums_.empty()) return {};
    const std::string file = path(".seqnums");
    Result<std::string> text{seqnums_};
    if (store_.kind == QuickfixKind::JavaOneFile) text = java_text(file, seqnums_);
    if (!text) return std::unexpected{text.error()};
    const std::size_t colon = text->find(':');
    if (colon == std::string::npos)
      return std::unexpected{file + ": 'number : number' was expected"};
    const std::string_view both{*text};
    if (auto taken = read_number(file, both.substr(0, colon), store_.next_outbound); !taken)
      return taken;
    return read_number(file, both.substr(colon + 1), store_.next_inbound);
  }

  Result<void> read_created() {
    if (session_.empty()) return {};
    Result<std::string> text{session_};
    if (is_java_text(session_)) text = java_text(path(".session"), session_);
    if (!text) return std::unexpected{text.error()};
    // In QuickFIX/n this time means that no time was ever set.
    if (text->starts_with("00010101-")) return {};
    store_.created = creation_time(trimmed(*text));
    if (store_.created) return {};
    return std::unexpected{
        fmt::format("{}: a time like 20261120-22:23:48 was expected, UTC", path(".session"))};
  }

  // 20261120-22:23:48.123, with a zone (" Z", "+01:00") or without, or ISO 8601's form of it.
  [[nodiscard]] static std::optional<WallTime> creation_time(std::string_view given) {
    std::string text{given};
    constexpr std::size_t kIsoDateBytes = 10;
    if (text.size() > kIsoDateBytes && text[4] == '-' && text[7] == '-' &&
        text[kIsoDateBytes] == 'T') {
      text[kIsoDateBytes] = '-';
      text.erase(7, 1).erase(4, 1);
    }
    constexpr std::size_t kFixBytes = std::string_view{"20261120-22:23:48"}.size();
    const std::size_t end = std::min(text.find_first_of(" Z+-", kFixBytes), text.size());
    const auto time = wire::to_utc_timestamp(std::string_view{text}.substr(0, end));
    if (!time) return std::nullopt;
    const std::string_view zone = trimmed(std::string_view{text}.substr(end));
    if (zone.empty() || zone == "Z") return *time;
    const auto hours = to_number<unsigned>(zone.substr(1, 2));
    const bool has_form = zone.size() == 6 && zone[3] == ':' && !zone.starts_with('Z');
    const auto minutes = has_form ? to_number<unsigned>(zone.substr(4)) : std::nullopt;
    if (!hours || !minutes || *hours > 24 || *minutes > 59) return std::nullopt;
    const auto ahead = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    return zone.front() == '+' ? *time - ahead : *time + ahead;
  }

  // One entry of the header, in any of its forms.
  struct Entry {
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  Result<void> keep(const Entry& entry, std::string_view suffix, std::size_t at) {
    const auto wrong = [&](std::string_view what) {
      return std::unexpected{fmt::format("{}: at offset {}: {}", path(suffix), at, what)};
    };
    if (entry.number == 0 || entry.number >= kQuickfixNumberMax) return wrong("no sequence number");
    if (entry.bytes == 0 || entry.bytes > kMessageBytesMax)
      return wrong(fmt::format("no message has {} bytes", entry.bytes));
    if (entry.offset > (std::uint64_t{1} << 62U)) return wrong("no offset");
    body_end_ = std::max(body_end_, entry.offset + entry.bytes);
    // If a number was stored twice, the engines use the last message.
    store_.messages[entry.number] = {.offset = entry.offset,
                                     .bytes = static_cast<std::uint32_t>(entry.bytes)};
    return {};
  }

  Result<void> parse_text_header() {
    const std::string_view text{header_};
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find_first_of(" \r\n", at);
      const bool is_cut = end == std::string_view::npos;
      const std::string_view word = text.substr(at, end - at);
      const std::size_t first = std::min(word.find(','), word.size());
      const std::size_t second = std::min(word.find(',', first + 1), word.size());
      const auto part = [&](std::size_t from, std::size_t to) {
        return to_number<std::uint64_t>(word.substr(std::min(from, to), to - std::min(from, to)));
      };
      const auto number = part(0, first);
      const auto offset = part(first + 1, second);
      const auto bytes = part(second + 1, word.size());
      if (is_cut || !number || !offset || !bytes) {
        return std::unexpected{fmt::format("{}: at offset {}: 'number,offset,size' was expected{}",
                                           path(".header"), at,
                                           is_cut ? "; the file is cut off there" : "")};
      }
      if (auto kept = keep({*number, *offset, *bytes}, ".header", at); !kept) return kept;
      at = std::min(text.find_first_not_of(" \r\n", end), text.size());
    }
    return {};
  }

  Result<void> parse_binary_header() {
    const std::string_view bytes{header_};
    if (bytes.size() % kJavaHeaderBytes != 0) {
      return std::unexpected{
          fmt::format("{}: {} bytes are no multiple of 16: the file is cut off, or is not "
                      "QuickFIX/J's",
                      path(".header"), bytes.size())};
    }
    for (std::size_t at = 0; at < bytes.size(); at += kJavaHeaderBytes) {
      const Entry entry{.number = big_endian(bytes.substr(at, 4)),
                        .offset = big_endian(bytes.substr(at + 4, 8)),
                        .bytes = big_endian(bytes.substr(at + 12, 4))};
      if (auto kept = keep(entry, ".header", at); !kept) return kept;
      entries_.push_back(entry);
    }
    return {};
  }

  // QuickFIX/J counts the characters of a message, and its offsets count bytes. With a CharSet of
  // several bytes a character, such as UTF-8, a message ends where the next one begins.
  Result<void> count_bytes(std::uint64_t body_size) {
    if (body_end_ > body_size) return {};
    const auto body = disk_.open(path(".body"), OpenMode::Read);
    if (!body) return failure(body.error());
    std::ranges::sort(entries_, {}, &Entry::offset);
    std::string text;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const std::uint64_t end = i + 1 < entries_.size() ? entries_[i + 1].offset : body_size;
      constexpr std::uint64_t kCharacterBytesMax = 3;  // four bytes are two characters
      const bool may_be_longer = end > entry.offset + entry.bytes &&
                                 end - entry.offset <= kCharacterBytesMax * entry.bytes;
      if (!may_be_longer) continue;
      text.resize(end - entry.offset);
      const auto got = (*body)->read_at(entry.offset, text);
      if (!got) return failure(got.error());
      if (*got < text.size() || java_characters(text) != entry.bytes) continue;
      body_end_ = std::max(body_end_, end);
      const auto stored = store_.messages.find(entry.number);
      if (stored != store_.messages.end() && stored->second.offset == entry.offset)
        stored->second.bytes = static_cast<std::uint32_t>(text.size());
    }
    return {};
  }

  [[nodiscard]] bool has_binary_header() const {
    if (store_.kind == QuickfixKind::BodyAlone) return !header_.empty() && header_[0] < '0';
    return store_.kind == QuickfixKind::Java || store_.kind == QuickfixKind::JavaOneFile;
  }

  Result<std::uint64_t> body_bytes() {
    const auto body = disk_.open(path(".body"), OpenMode::Read);
    if (!body) return failure(body.error());
    const auto size = (*body)->size();
    if (!size) return failure(size.error());
    return *size;
  }

  Result<void> read_header() {
    const auto parsed = has_binary_header() ? parse_binary_header() : parse_text_header();
    if (!parsed) return parsed;
    const auto size = body_bytes();
    if (!size) return std::unexpected{size.error()};
    if (auto counted = count_bytes(*size); !counted) return counted;
    if (*size == body_end_) return {};
    return std::unexpected{
        fmt::format("{}: {} bytes, but by its header there are {}: the files do not belong "
                    "together, or one is cut off",
                    path(".body"), *size, body_end_)};
  }

  // Without a header, BodyLength says where a message ends.
  Result<void> index_body() {
    if (store_.kind != QuickfixKind::BodyAlone)
      return std::unexpected{path(".header") + ": there is no such file"};
    const auto body = disk_.open(path(".body"), OpenMode::Read);
    if (!body) return failure(body.error());
    std::vector<char> window(kSmallFileBytesMax);
    for (std::uint64_t at = 0;;) {
      auto got = (*body)->read_at(at, window);
      if (!got) return failure(got.error());
      if (*got == 0) return {};
      std::string_view bytes{window.data(), *got};
      const std::optional<std::uint64_t> size = message_size(bytes);
      if (size && *size > window.size() && *size <= kMessageBytesMax) {
        window.resize(*size);
        continue;
      }
      bytes = bytes.substr(0, size ? *size : 0);
      const auto number = to_number<std::uint64_t>(quickfix_field(bytes, "34").value_or(""));
      if (!number || !bytes.ends_with('\x01') || bytes.size() < *size) {
        return std::unexpected{
            fmt::format("{}: at offset {}: no whole message with a MsgSeqNum is there, and no "
                        ".header says where the messages are",
                        path(".body"), at)};
      }
      if (auto kept = keep({*number, at, *size}, ".body", at); !kept) return kept;
      at += *size;
    }
  }

  // By its BodyLength. Returns nothing if the message has none.
  [[nodiscard]] static std::optional<std::uint64_t> message_size(std::string_view bytes) {
    constexpr std::uint64_t kTrailerBytes = 7;  // 10=ddd, SOH
    const std::size_t first = bytes.find('\x01');
    if (!bytes.starts_with("8=") || first == bytes.npos) return std::nullopt;
    const std::string_view rest = bytes.substr(first + 1);
    const std::size_t end = rest.find('\x01');
    if (!rest.starts_with("9=") || end == rest.npos) return std::nullopt;
    const auto length = to_number<std::uint32_t>(rest.substr(2, end - 2));
    if (!length) return std::nullopt;
    return first + 1 + end + 1 + *length + kTrailerBytes;
  }

  Result<void> compare_numbers() {
    const std::uint64_t last = store_.messages.empty() ? 0 : store_.messages.rbegin()->first;
    if (store_.kind == QuickfixKind::BodyAlone) {
      store_.next_outbound = last + 1;
      return {};
    }
    if (store_.messages.contains(store_.next_outbound)) {
      store_.was_number_stale = true;
      ++store_.next_outbound;
    }
    if (last < store_.next_outbound) return {};
    return std::unexpected{fmt::format(
        "{}: message {} is stored, but the next number to send is {}: the files do not belong "
        "together",
        store_.path, last, store_.next_outbound)};
  }

  Disk& disk_;
  QuickfixStore& store_;
  std::vector<std::string_view> there_;
  std::string seqnums_, sender_, target_, session_, header_;
  std::uint64_t body_end_ = 0;
  std::vector<Entry> entries_;  // of a binary header
};

}  // namespace

std::string_view to_string(QuickfixKind kind) noexcept {
  switch (kind) {
    case QuickfixKind::Unknown:
      return "unknown";
    case QuickfixKind::Cpp:
      return "QuickFIX";
    case QuickfixKind::Java:
      return "QuickFIX/J";
    case QuickfixKind::JavaOneFile:
      return "QuickFIX/J (both sequence numbers in one file)";
    case QuickfixKind::Net:
      return "QuickFIX/n";
    case QuickfixKind::Go:
      return "QuickFIX/Go";
    case QuickfixKind::BodyAlone:
      break;
  }
  return "messages without sequence numbers";
}

std::optional<std::string_view> quickfix_field(std::string_view message, std::string_view tag) {
  std::string wanted = "\x01";
  wanted.append(tag).append("=");
  const std::size_t at = message.starts_with(wanted.substr(1)) ? 0 : message.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = message.find('=', at) + 1;
  return message.substr(begin, message.find('\x01', begin) - begin);
}

std::expected<void, std::string> read_quickfix_files(Disk& disk, QuickfixStore& store) {
  return Reader{disk, store}.run();
}

}  // namespace nexusfix::command
