#include "nexusfix/quickfix_store.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include <nexusfix/session/session_id.hpp>
#include <nexusfix/wire/times.hpp>

namespace nexusfix::command {
namespace {

template <class T>
using Result = std::expected<T, std::string>;

constexpr std::uint64_t kHeaderFileBytesMax = 1U << 30U;
constexpr std::uint64_t kSmallFileBytesMax = 4096;
constexpr std::uint32_t kMessageBytesMax = 512U << 20U;
constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 31U;  // an int in both
constexpr std::size_t kJavaHeaderBytes = 16;
constexpr std::size_t kChunkBytes = 1U << 20U;

constexpr std::array kSuffixes{".body",          ".header",        ".seqnums",
                               ".senderseqnums", ".targetseqnums", ".session"};

std::unexpected<std::string> failure(const DiskError& error) {
  return std::unexpected{error.what()};
}

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

std::string to_big_endian(std::uint64_t value, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = bytes; i-- > 0; value >>= 8U) text[i] = static_cast<char>(value & 0xFFU);
  return text;
}

// Whoever opens a pipe waits for somebody to write into it.
Result<void> check_is_file(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  return std::unexpected{path + ": it is no regular file"};
}

// "length, text" as Java's writeUTF() puts it; what is behind it are leftovers of a longer one.
Result<std::string> java_text(const std::string& path, std::string_view bytes) {
  if (bytes.size() < 2 || bytes.size() - 2 < big_endian(bytes.substr(0, 2))) {
    return std::unexpected{path + ": a text behind its length (2 bytes) was expected"};
  }
  return std::string{bytes.substr(2, static_cast<std::size_t>(big_endian(bytes.substr(0, 2))))};
}

Result<std::uint64_t> sequence_number(const std::string& path, std::string_view text) {
  const auto number = to_number<std::uint64_t>(text);
  if (!number || *number == 0 || *number >= kNumberMax) {
    return std::unexpected{
        fmt::format("{}: '{}' where a sequence number was expected", path, text)};
  }
  return *number;
}

Result<std::string> small_file(Disk& disk, const std::string& path) {
  auto bytes = read_file(disk, path, kSmallFileBytesMax);
  if (!bytes) return failure(bytes.error());
  return std::move(*bytes);
}

Result<void> read_numbers(Disk& disk, QuickfixStore& store) {
  if (store.form == QuickfixForm::Java) {
    for (const auto& [suffix, number] : {std::pair{".senderseqnums", &store.next_outbound},
                                         std::pair{".targetseqnums", &store.next_inbound}}) {
      const std::string path = store.path + suffix;
      const auto bytes = small_file(disk, path);
      if (!bytes) return std::unexpected{bytes.error()};
      const auto text = java_text(path, *bytes);
      if (!text) return std::unexpected{text.error()};
      const auto found = sequence_number(path, *text);
      if (!found) return std::unexpected{found.error()};
      *number = *found;
    }
    return {};
  }
  const std::string path = store.path + ".seqnums";
  const auto bytes = small_file(disk, path);
  if (!bytes) return std::unexpected{bytes.error()};
  // Some who write the file by hand end its line.
  std::string_view text{*bytes};
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  const std::size_t colon = text.find(" : ");
  if (colon == std::string_view::npos) {
    return std::unexpected{path + ": 'number : number' was expected"};
  }
  const auto sender = sequence_number(path, text.substr(0, colon));
  if (!sender) return std::unexpected{sender.error()};
  const auto target = sequence_number(path, text.substr(colon + 3));
  if (!target) return std::unexpected{target.error()};
  store.next_outbound = *sender;
  store.next_inbound = *target;
  return {};
}

Result<void> read_created(Disk& disk, QuickfixStore& store) {
  const std::string path = store.path + ".session";
  const auto bytes = small_file(disk, path);
  if (!bytes) return std::unexpected{bytes.error()};
  std::string text = *bytes;
  if (store.form == QuickfixForm::Java) {
    auto behind_length = java_text(path, text);
    if (!behind_length) return std::unexpected{behind_length.error()};
    text = std::move(*behind_length);
  }
  const auto time = wire::to_utc_timestamp(text);
  if (!time) {
    return std::unexpected{
        fmt::format("{}: a time like 20261120-22:23:48 was expected, UTC", path)};
  }
  store.created = *time;
  return {};
}

// One entry of the header, whatever its form.
struct Entry {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

Result<void> keep(QuickfixStore& store, const Entry& entry, std::size_t at,
                  std::uint64_t& body_end) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected{fmt::format("{}.header: at offset {}: {}", store.path, at, what)};
  };
  if (entry.number == 0 || entry.number >= kNumberMax) return wrong("no sequence number");
  if (entry.bytes == 0 || entry.bytes > kMessageBytesMax) {
    return wrong(fmt::format("no message has {} bytes", entry.bytes));
  }
  if (entry.offset > (std::uint64_t{1} << 62U)) return wrong("no offset");
  body_end = std::max(body_end, entry.offset + entry.bytes);
  // A number that was stored twice: both engines take the last one.
  store.messages[entry.number] = {.offset = entry.offset,
                                  .bytes = static_cast<std::uint32_t>(entry.bytes)};
  return {};
}

Result<void> parse_text_header(QuickfixStore& store, std::string_view text,
                               std::uint64_t& body_end) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find(' ', at);
    const std::string_view word = text.substr(at, end - at);
    const std::size_t first = word.find(',');
    const std::size_t second = first == std::string_view::npos ? first : word.find(',', first + 1);
    if (end == std::string_view::npos || second == std::string_view::npos) {
      return std::unexpected{
          fmt::format("{}.header: at offset {}: 'number,offset,size ' was expected{}", store.path,
                      at, end == std::string_view::npos ? "; the file is cut off there" : "")};
    }
    const auto number = to_number<std::uint64_t>(word.substr(0, first));
    const auto offset = to_number<std::uint64_t>(word.substr(first + 1, second - first - 1));
    const auto bytes = to_number<std::uint64_t>(word.substr(second + 1));
    if (!number || !offset || !bytes) {
      return std::unexpected{fmt::format(
          "{}.header: at offset {}: 'number,offset,size ' was expected", store.path, at)};
    }
    if (auto kept = keep(store, {*number, *offset, *bytes}, at, body_end); !kept) return kept;
    at = end + 1;
  }
  return {};
}

Result<void> parse_binary_header(QuickfixStore& store, std::string_view bytes,
                                 std::uint64_t& body_end) {
  if (bytes.size() % kJavaHeaderBytes != 0) {
    return std::unexpected{
        fmt::format("{}.header: {} bytes are no multiple of 16: the file is cut off, or is not "
                    "QuickFIX/J's",
                    store.path, bytes.size())};
  }
  for (std::size_t at = 0; at < bytes.size(); at += kJavaHeaderBytes) {
    const Entry entry{.number = big_endian(bytes.substr(at, 4)),
                      .offset = big_endian(bytes.substr(at + 4, 8)),
                      .bytes = big_endian(bytes.substr(at + 12, 4))};
    if (auto kept = keep(store, entry, at, body_end); !kept) return kept;
  }
  return {};
}

Result<void> read_header(Disk& disk, QuickfixStore& store) {
  const auto bytes = read_file(disk, store.path + ".header", kHeaderFileBytesMax);
  if (!bytes) return failure(bytes.error());
  std::uint64_t body_end = 0;
  const auto parsed = store.form == QuickfixForm::Cpp
                          ? parse_text_header(store, *bytes, body_end)
                          : parse_binary_header(store, *bytes, body_end);
  if (!parsed) return parsed;
  const auto body = disk.open(store.path + ".body", OpenMode::Read);
  if (!body) return failure(body.error());
  const auto size = (*body)->size();
  if (!size) return failure(size.error());
  if (*size != body_end) {
    return std::unexpected{fmt::format(
        "{}.body: {} bytes, but by its header there are {}: the files do not belong together, or "
        "one is cut off",
        store.path, *size, body_end)};
  }
  if (store.messages.contains(store.next_outbound)) {
    store.number_was_behind = true;
    ++store.next_outbound;
  }
  if (!store.messages.empty() && store.messages.rbegin()->first >= store.next_outbound) {
    return std::unexpected{fmt::format(
        "{}: message {} is stored, but the next number to send is {}: the files do not belong "
        "together",
        store.path, store.messages.rbegin()->first, store.next_outbound)};
  }
  return {};
}

// The value of a field in front of the body's end; nothing if there is none.
std::optional<std::string_view> field(std::string_view message, std::string_view tag) {
  std::string wanted = "\x01";
  wanted.append(tag).append("=");
  const std::size_t at = message.starts_with(wanted.substr(1)) ? 0 : message.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = message.find('=', at) + 1;
  return message.substr(begin, message.find('\x01', begin) - begin);
}

using Parties = session::SessionId;

std::optional<Parties> parties_of(std::string_view message) {
  const auto begin_string = field(message, "8");
  const auto sender = field(message, "49");
  const auto target = field(message, "56");
  if (!begin_string || !sender || !target) return std::nullopt;
  return Parties{.begin_string = std::string{*begin_string},
                 .sender_comp_id = std::string{*sender},
                 .target_comp_id = std::string{*target}};
}

std::string name_of(Parties parties, std::string_view qualifier) {
  parties.qualifier = qualifier;
  return parties.to_string();
}

std::string in_file_name(std::string text, QuickfixForm form) {
  if (form == QuickfixForm::Cpp) return text;
  for (char& c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-';
    if (!kept) c = '_';
  }
  return text;
}

// The qualifier is what follows the CompIDs (and QuickFIX/J's sub and location IDs) in the prefix.
Result<std::string> qualifier_of(const QuickfixStore& store, const Parties& parties,
                                 std::string_view prefix) {
  const std::string front =
      in_file_name(parties.begin_string + "-" + parties.sender_comp_id, store.form);
  const std::string back = "-" + in_file_name(parties.target_comp_id, store.form);
  const std::size_t at =
      prefix.starts_with(front) ? prefix.find(back, front.size()) : std::string_view::npos;
  const std::string_view between =
      at == std::string_view::npos ? "" : prefix.substr(front.size(), at - front.size());
  if (at == std::string_view::npos || (!between.empty() && between.front() != '_')) {
    return std::unexpected{
        fmt::format("{}.body: its messages are of {}, which does not fit the files' name; if it "
                    "is the right session, say --prefix {} --session {}",
                    store.path, name_of(parties, ""), prefix, name_of(parties, ""))};
  }
  std::string_view rest = prefix.substr(at + back.size());
  if (rest.starts_with('_')) {  // sub and location IDs of the target
    const std::size_t dash = rest.find('-');
    rest = dash == std::string_view::npos ? std::string_view{} : rest.substr(dash);
  }
  if (rest.empty()) return std::string{};
  if (rest.front() != '-') {
    return std::unexpected{
        fmt::format("{}: what '{}' in its name means is not clear; say --prefix {} and the "
                    "session's name with --session",
                    store.path, rest, prefix)};
  }
  return std::string{rest.substr(1)};
}

Result<std::string> name_from_prefix(const QuickfixStore& store, std::string_view prefix) {
  std::vector<std::string> parts{""};
  for (const char c : prefix) {
    if (c == '-') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const bool clear = parts.size() >= 3 && parts.size() <= 4 &&
                     prefix.find('_') == std::string_view::npos &&
                     std::ranges::none_of(parts, [](const auto& part) { return part.empty(); });
  if (!clear) {
    return std::unexpected{
        fmt::format("{}: it has no message to tell whose it is, and its name can be read in more "
                    "than one way; say --prefix {} and the session's name with --session",
                    store.path, prefix)};
  }
  return name_of({.begin_string = parts[0], .sender_comp_id = parts[1], .target_comp_id = parts[2]},
                 parts.size() == 4 ? parts[3] : "");
}

Result<void> check_message(const QuickfixStore& store, const Parties& parties, std::uint64_t number,
                           std::string_view bytes) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected{fmt::format("{}.body: message {} at offset {}: {}", store.path, number,
                                       store.messages.at(number).offset, what)};
  };
  constexpr std::size_t kTrailerBytes = 8;  // SOH, 10=ddd, SOH
  if (!bytes.starts_with("8=") || bytes.back() != '\x01' || bytes.size() < kTrailerBytes ||
      bytes.substr(bytes.size() - kTrailerBytes, 4) !=
          "\x01"
          "10=") {
    return wrong("is no FIX message");
  }
  const auto has = [&](std::string_view tag, std::string_view value) {
    return field(bytes, tag) == value;
  };
  if (!has("34", std::to_string(number))) return wrong("its MsgSeqNum is another");
  if (!has("8", parties.begin_string) || !has("49", parties.sender_comp_id) ||
      !has("56", parties.target_comp_id)) {
    return wrong("is of another session");
  }
  return {};
}

// QuickFIX/J's files name sub and location IDs where they are part of the session's identity.
void name_sub_ids(const QuickfixStore& store, Parties& parties, std::string_view prefix,
                  std::string_view message) {
  if (store.form != QuickfixForm::Java) return;
  const auto in_name = [&](const std::string& text) { return in_file_name(text, store.form); };
  const std::string sender = in_name(parties.begin_string + "-" + parties.sender_comp_id + "_");
  const std::string target = "-" + in_name(parties.target_comp_id) + "_";
  const bool has_sender = prefix.starts_with(sender);
  const bool has_target = prefix.find(target) != std::string_view::npos;
  const auto text_of = [&](std::string_view tag) {
    return std::string{field(message, tag).value_or("")};
  };
  if (has_sender) {
    parties.sender_sub_id = text_of("50");
    parties.sender_location_id = text_of("142");
  }
  if (has_target) {
    parties.target_sub_id = text_of("57");
    parties.target_location_id = text_of("143");
  }
}

Result<void> find_name(Disk& disk, QuickfixStore& store, const std::string& prefix) {
  if (store.messages.empty()) {
    auto name = name_from_prefix(store, prefix);
    if (!name) return std::unexpected{name.error()};
    store.session = std::move(*name);
    return {};
  }
  bool seen = false;
  return visit_quickfix_messages(
      disk, store, 1, [&](std::uint64_t number, std::string_view bytes) -> Result<void> {
        if (seen) return {};
        seen = true;
        auto parties = parties_of(bytes);
        if (!parties) {
          return std::unexpected{
              fmt::format("{}.body: message {} is no FIX message", store.path, number)};
        }
        const auto qualifier = qualifier_of(store, *parties, prefix);
        if (!qualifier) return std::unexpected{qualifier.error()};
        name_sub_ids(store, *parties, prefix, bytes);
        store.session = name_of(*parties, *qualifier);
        return {};
      });
}

// A session that is named as earlier versions did, with its CompIDs as its messages have them.
void take_former_name(Disk& disk, QuickfixStore& store) {
  std::optional<Parties> parties;
  const auto visit = [&](std::uint64_t, std::string_view bytes) -> Result<void> {
    if (!parties) parties = parties_of(bytes);
    return {};
  };
  if (store.messages.empty() || !visit_quickfix_messages(disk, store, 1, visit) || !parties) return;
  const std::string former = parties->former_name();
  if (!store.session.starts_with(former)) return;
  const std::string rest = store.session.substr(former.size());
  if (!rest.empty() && rest.front() != ':') return;
  store.session = name_of(*parties, rest.empty() ? rest : rest.substr(1));
}

}  // namespace

Result<std::vector<std::string>> quickfix_prefixes(Disk& disk, const std::string& folder) {
  const auto names = disk.list(folder);
  if (!names) return failure(names.error());
  std::set<std::string> prefixes;
  for (const std::string& name : *names) {
    for (const std::string_view suffix : kSuffixes) {
      if (name.ends_with(suffix) && name.size() > suffix.size()) {
        prefixes.insert(name.substr(0, name.size() - suffix.size()));
      }
    }
  }
  if (prefixes.empty()) {
    return std::unexpected{folder + ": there is no file store of QuickFIX in it (no *.seqnums)"};
  }
  return std::vector<std::string>{prefixes.begin(), prefixes.end()};
}

Result<QuickfixStore> read_quickfix_store(Disk& disk, const std::string& folder,
                                          const std::string& prefix, const std::string& session) {
  QuickfixStore store;
  store.path = folder + '/' + prefix;
  const auto names = disk.list(folder);
  if (!names) return failure(names.error());
  const auto exists = [&](const char* suffix) {
    return std::ranges::find(*names, prefix + suffix) != names->end();
  };
  const bool java = exists(".senderseqnums") || exists(".targetseqnums");
  if (java && exists(".seqnums")) {
    return std::unexpected{store.path +
                           ": there are .seqnums (QuickFIX) and .senderseqnums or .targetseqnums "
                           "(QuickFIX/J); move the ones that are not meant away"};
  }
  store.form = java ? QuickfixForm::Java : QuickfixForm::Cpp;
  for (const char* suffix : kSuffixes) {
    if (auto plain = check_is_file(store.path + suffix); !plain) {
      return std::unexpected{plain.error()};
    }
  }
  if (auto read = read_numbers(disk, store); !read) return std::unexpected{read.error()};
  if (auto read = read_created(disk, store); !read) return std::unexpected{read.error()};
  if (auto read = read_header(disk, store); !read) return std::unexpected{read.error()};
  store.session = session;
  if (session.empty()) {
    if (auto found = find_name(disk, store, prefix); !found) {
      return std::unexpected{found.error()};
    }
  }
  take_former_name(disk, store);
  const auto parties = Parties::parse(store.session);
  if (!parties) {
    return std::unexpected{
        fmt::format("--session {}: BeginString:Sender->Target was expected, and within a part %3A "
                    "for :, %2F for / and %3E for >",
                    store.session)};
  }
  if (auto checked = visit_quickfix_messages(disk, store, 1,
                                             [&](std::uint64_t number, std::string_view bytes) {
                                               return check_message(store, *parties, number, bytes);
                                             });
      !checked) {
    return std::unexpected{checked.error()};
  }
  return store;
}

Result<void> visit_quickfix_messages(Disk& disk, const QuickfixStore& store, std::uint64_t first,
                                     QuickfixVisitor visit) {
  const std::string path = store.path + ".body";
  const auto body = disk.open(path, OpenMode::Read);
  if (!body) return failure(body.error());
  std::vector<char> window;
  std::uint64_t begin = 0;
  for (auto at = store.messages.lower_bound(first); at != store.messages.end(); ++at) {
    const QuickfixMessage& message = at->second;
    if (message.offset < begin || message.offset + message.bytes > begin + window.size()) {
      window.resize(std::max<std::size_t>(kChunkBytes, message.bytes));
      begin = message.offset;
      const auto got = (*body)->read_at(begin, window);
      if (!got) return failure(got.error());
      window.resize(*got);
      if (*got < message.bytes) {
        return std::unexpected{fmt::format("{}: cut off while it was read", path)};
      }
    }
    const std::string_view bytes{window.data() + (message.offset - begin), message.bytes};
    if (auto visited = visit(at->first, bytes); !visited) return visited;
  }
  return {};
}

std::string quickfix_prefix(std::string_view session, QuickfixForm form) {
  const auto parties = Parties::parse(session);
  if (!parties) return {};
  std::string prefix = parties->begin_string;
  // QuickFIX's sessions have no sub and location IDs; in QuickFIX/J's what is empty has no place.
  const auto add = [&](std::initializer_list<std::string_view> party) {
    char separator = '-';
    for (const std::string_view part : party) {
      if (part.empty()) continue;
      (prefix += separator) += part;
      separator = '_';
      if (form == QuickfixForm::Cpp) return;
    }
  };
  add({parties->sender_comp_id, parties->sender_sub_id, parties->sender_location_id});
  add({parties->target_comp_id, parties->target_sub_id, parties->target_location_id});
  add({parties->qualifier});
  return in_file_name(std::move(prefix), form);
}

QuickfixWriter::QuickfixWriter(Disk& disk, std::string folder, std::string prefix,
                               QuickfixForm form)
    : disk_{disk}, folder_{std::move(folder)}, path_{folder_ + '/' + prefix}, form_{form} {}

Result<void> QuickfixWriter::begin() {
  if (auto made = disk_.make_directories(folder_); !made) return failure(made.error());
  const auto names = disk_.list(folder_);
  if (!names) return failure(names.error());
  for (const std::string& name : *names) {
    const std::string path = folder_ + '/' + name;
    for (const std::string_view suffix : kSuffixes) {
      if (path == path_ + std::string{suffix}) {
        return std::unexpected{path + ": is there already; nothing is written over"};
      }
    }
  }
  if (auto made = create(".body", body_); !made) return made;
  return create(".header", header_);
}

Result<void> QuickfixWriter::create(const std::string& suffix, Output& out) {
  auto file = disk_.open(path_ + suffix, OpenMode::Create);
  if (!file) return failure(file.error());
  created_.push_back(path_ + suffix);
  out.file = std::move(*file);
  return {};
}

Result<void> QuickfixWriter::write_out(Output& out) {
  if (auto written = out.file->write_at(out.written, out.pending); !written) {
    return failure(written.error());
  }
  out.written += out.pending.size();
  out.pending.clear();
  return {};
}

Result<void> QuickfixWriter::add(std::uint64_t number, std::string_view bytes) {
  if (number >= kNumberMax) {
    return std::unexpected{fmt::format("{}: number {} is above what it can hold", path_, number)};
  }
  if (form_ == QuickfixForm::Cpp) {
    header_.pending += fmt::format("{},{},{} ", number, body_bytes_, bytes.size());
  } else {
    header_.pending +=
        to_big_endian(number, 4) + to_big_endian(body_bytes_, 8) + to_big_endian(bytes.size(), 4);
  }
  body_.pending += bytes;
  body_bytes_ += bytes.size();
  if (body_.pending.size() < kChunkBytes) return {};
  if (auto written = write_out(body_); !written) return written;
  return write_out(header_);
}

Result<void> QuickfixWriter::write_whole(const std::string& suffix, const std::string& bytes) {
  Output out;
  if (auto made = create(suffix, out); !made) return made;
  out.pending = bytes;
  if (auto written = write_out(out); !written) return written;
  if (auto synced = out.file->sync(); !synced) return failure(synced.error());
  return {};
}

Result<void> QuickfixWriter::finish(std::uint64_t next_inbound, std::uint64_t next_outbound,
                                    WallTime created) {
  if (next_inbound >= kNumberMax || next_outbound >= kNumberMax) {
    return std::unexpected{path_ + ": the next numbers are above what it can hold"};
  }
  for (Output* out : {&body_, &header_}) {
    if (auto written = write_out(*out); !written) return written;
    if (auto synced = out->file->sync(); !synced) return failure(synced.error());
  }
  std::array<char, wire::kUtcTimestampBytesMax> time;
  const bool java = form_ == QuickfixForm::Java;
  const std::size_t length = wire::from_utc_timestamp(
      created, java ? wire::TimePrecision::Millis : wire::TimePrecision::Seconds, time.data());
  const auto utf = [](std::string_view text) {
    return to_big_endian(text.size(), 2) + std::string{text};
  };
  const std::string_view time_text{time.data(), length};
  if (auto done = write_whole(".session", java ? utf(time_text) : std::string{time_text}); !done) {
    return done;
  }
  if (java) {
    if (auto done = write_whole(".targetseqnums", utf(std::to_string(next_inbound))); !done) {
      return done;
    }
    if (auto done = write_whole(".senderseqnums", utf(std::to_string(next_outbound))); !done) {
      return done;
    }
  } else if (auto done = write_whole(".seqnums",
                                     fmt::format("{:010} : {:010}", next_outbound, next_inbound));
             !done) {
    return done;
  }
  if (auto synced = disk_.sync_directory(folder_); !synced) return failure(synced.error());
  return {};
}

void QuickfixWriter::undo() noexcept {
  body_.file.reset();
  header_.file.reset();
  for (const std::string& path : created_) (void)disk_.remove(path);
  created_.clear();
}

}  // namespace nexusfix::command
