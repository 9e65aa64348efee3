#include "logs/source/open_source.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "logs/capture/packet_file.hpp"

namespace nexusfix::logs {
namespace {

struct NamedKind {
  std::string_view name;
  SourceKind kind;
};
constexpr std::array kKinds{
    NamedKind{"text", SourceKind::Text},      NamedKind{"hex", SourceKind::Hex},
    NamedKind{"gzip", SourceKind::Gzip},      NamedKind{"zstd", SourceKind::Zstd},
    NamedKind{"xz", SourceKind::Xz},          NamedKind{"pcap", SourceKind::Capture},
    NamedKind{"journal", SourceKind::Journal}};

constexpr std::string_view kGzipMagic{"\x1f\x8b", 2};
constexpr std::string_view kZstdMagic{"\x28\xb5\x2f\xfd", 4};
constexpr std::string_view kXzMagic{
    "\xfd"
    "7zXZ\0",
    6};
constexpr std::size_t kHeadBytes = 4096;

SourceKind recognise(std::string_view head) {
  if (head.starts_with(kGzipMagic)) return SourceKind::Gzip;
  if (head.starts_with(kZstdMagic)) return SourceKind::Zstd;
  if (head.starts_with(kXzMagic)) return SourceKind::Xz;
  if (is_capture(head)) return SourceKind::Capture;
  return is_hex_dump(head) ? SourceKind::Hex : SourceKind::Text;
}

// The order of the bytes of a UTF-16 text, and the size of its byte order mark.
enum class Utf16Order : std::uint8_t { Little, Big };
struct Utf16 {
  Utf16Order order = Utf16Order::Little;
  std::size_t mark_bytes = 0;
};

constexpr std::string_view kLittleMark{"\xff\xfe", 2};
constexpr std::string_view kBigMark{"\xfe\xff", 2};

constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

void append_utf8(std::string& to, char32_t c) {
  const auto rest = [&](unsigned shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to.append(1, static_cast<char>(0xc0 | c >> 6)).append(1, rest(0));
  } else if (c < 0x1'0000) {
    to.append(1, static_cast<char>(0xe0 | c >> 12)).append(1, rest(6)).append(1, rest(0));
  } else {
    to.append(1, static_cast<char>(0xf0 | c >> 18)).append(1, rest(12));
    to.append(1, rest(6)).append(1, rest(0));
  }
}

// The text in UTF-8.
class Utf16Source final : public ByteSource {
 public:
  Utf16Source(Source text, Utf16Order order) : text_{std::move(text)}, order_{order} {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    while (at_ == utf8_.size()) {
      utf8_.clear();
      at_ = 0;
      const auto got = text_->read(std::span{chunk_}.subspan(held_));
      if (!got) return got;
      if (*got == 0 && end() == SourceEnd::Waits) return 0;
      if (*got == 0 && !convert_rest()) return 0;
      if (*got > 0) convert(held_ + *got);
    }
    const std::size_t size = std::min(bytes.size(), utf8_.size() - at_);
    utf8_.copy(bytes.data(), size, at_);
    at_ += size;
    return size;
  }
  [[nodiscard]] SourceEnd end() const override { return text_->end(); }
  [[nodiscard]] std::string damage() const override { return text_->damage(); }

 private:
  static constexpr std::size_t kUnitBytes = 2;

  // size: of the bytes of the chunk.
  void convert(std::size_t size) {
    std::size_t at = 0;
    for (; at + kUnitBytes <= size; at += kUnitBytes) {
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(chunk_[at + i]); };
      const auto unit = static_cast<char32_t>(
          order_ == Utf16Order::Little ? byte(1) << 8 | byte(0) : byte(0) << 8 | byte(1));
      take(unit);
    }
    held_ = size - at;
    if (held_ > 0) chunk_[0] = chunk_[at];
  }

  // A surrogate without its other half is kept as bytes that are no UTF-8: nothing is lost.
  void take(char32_t unit) {
    const std::optional<char32_t> high = std::exchange(high_, std::nullopt);
    if (high && is_low_surrogate(unit)) {
      return append_utf8(utf8_, 0x1'0000 + ((*high - 0xd800) << 10) + (unit - 0xdc00));
    }
    if (high) append_utf8(utf8_, *high);
    if (is_high_surrogate(unit)) {
      high_ = unit;
    } else {
      append_utf8(utf8_, unit);
    }
  }

  // At the end of the text. False: nothing is left.
  bool convert_rest() {
    if (high_) append_utf8(utf8_, *std::exchange(high_, std::nullopt));
    if (std::exchange(held_, 0) > 0) utf8_ += chunk_[0];
    return !utf8_.empty();
  }

  Source text_;
  Utf16Order order_;
  std::array<char, 64U << 10U> chunk_;
  std::size_t held_ = 0;  // bytes of a unit that is not complete, at the beginning of the chunk
  std::optional<char32_t> high_;
  std::string utf8_;
  std::size_t at_ = 0;  // of the bytes that were not read yet
};

// Whether the first bytes of a text are UTF-16: by its byte order mark, or because every second
// byte is zero. Nothing: they are not.
std::optional<Utf16> utf16_of(std::string_view head) {
  if (head.starts_with("8=FIX") || head.size() < 2 * kLittleMark.size()) return std::nullopt;
  // A first character of ASCII: other bytes may begin with the bytes of a mark.
  if (head.starts_with(kLittleMark) && head[3] == '\0') return Utf16{Utf16Order::Little, 2};
  if (head.starts_with(kBigMark) && head[2] == '\0') return Utf16{Utf16Order::Big, 2};
  constexpr std::size_t kLookedAt = 16;
  if (head.size() < kLookedAt) return std::nullopt;
  const auto are_zeros = [&](std::size_t first) {
    for (std::size_t i = 0; i < kLookedAt; ++i) {
      if ((head[i] == '\0') != (i % 2 == first)) return false;
    }
    return true;
  };
  if (are_zeros(1)) return Utf16{Utf16Order::Little, 0};
  if (are_zeros(0)) return Utf16{Utf16Order::Big, 0};
  return std::nullopt;
}

bool is_archive(SourceKind kind) {
  return kind == SourceKind::Gzip || kind == SourceKind::Zstd || kind == SourceKind::Xz;
}

// The first bytes, and why there are no more.
struct Head {
  std::string bytes;
  std::string error;
};

// The first bytes of a pipe may be fewer than those that decide: a line of a hex dump has 30.
Head read_head(ByteSource& source) {
  constexpr std::size_t kDecidingBytes = 16;
  Head head{std::string(kHeadBytes, '\0'), {}};
  std::size_t size = 0;
  while (size < kDecidingBytes) {
    const auto got = source.read(std::span{head.bytes}.subspan(size));
    if (!got) head.error = got.error();
    if (got.value_or(0) == 0) break;
    size += *got;
  }
  head.bytes.resize(size);
  return head;
}

// What was recognised at the beginning of an archive, or of a file.
enum class Within : std::uint8_t { File, Archive };

std::expected<OpenedSource, std::string> opened_as(Source source, SourceKind kind, Within within) {
  if (kind == SourceKind::Recognised) {
    Head head = read_head(*source);
    if (!head.error.empty()) {
      if (within == Within::File) return std::unexpected{std::move(head.error)};
      // A damaged archive is reported when it is read, after the bytes before the damage.
      source = failing_source(std::move(head.error));
    }
    kind = recognise(head.bytes);
    const auto utf16 = kind == SourceKind::Text ? utf16_of(head.bytes) : std::nullopt;
    if (utf16) head.bytes.erase(0, utf16->mark_bytes);
    source = source_of(std::move(head.bytes), std::move(source));
    // It may be a hex dump in UTF-16: a shell of Windows writes one so.
    if (utf16) {
      return opened_as(std::make_unique<Utf16Source>(std::move(source), utf16->order),
                       SourceKind::Recognised, within);
    }
    // An archive within an archive is read as bytes.
    if (is_archive(kind) && within == Within::Archive) return OpenedSource{std::move(source)};
  }
  if (kind == SourceKind::Hex) return OpenedSource{hex_source(std::move(source))};
  if (!is_archive(kind)) return OpenedSource{std::move(source), kind == SourceKind::Capture};
  Source unpacked = kind == SourceKind::Gzip   ? gzip_source(std::move(source))
                    : kind == SourceKind::Zstd ? zstd_source(std::move(source))
                                               : xz_source(std::move(source));
  return opened_as(std::move(unpacked), SourceKind::Recognised, Within::Archive);
}

bool has_journal(Disk& disk, const std::string& folder) {
  const auto names = disk.list(folder);
  return names && std::ranges::any_of(
                      *names, [](const std::string& name) { return name.ends_with(".journal"); });
}

// A rotated file, and its place in the order of age.
struct Rotated {
  std::string name;
  std::uint64_t date = 0;  // 0: none
  std::uint64_t number = 0;
};

std::string_view without_archive_suffix(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".zst", ".xz"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// The digits of a text of digits and `-`, such as 2024-01-15; nothing: it has others.
std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-' && digits > 0) continue;
    if (c < '0' || c > '9' || ++digits > 18) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return digits == 0 ? std::nullopt : std::optional{number};
}

// text: "2", "20240115", "2024-01-15", "2024-01-15.2".
std::optional<Rotated> read_age(std::string_view name, std::string_view text) {
  constexpr std::uint64_t kDateMin = 19'000'101;
  const std::size_t point = text.find('.');
  const auto first = number_of(text.substr(0, point));
  if (!first) return std::nullopt;
  const bool has_date = *first >= kDateMin || text.substr(0, point).contains('-');
  if (point == text.npos) {
    return Rotated{std::string{name}, has_date ? *first : 0, has_date ? 0 : *first};
  }
  const auto second = number_of(text.substr(point + 1));
  if (!second || !has_date) return std::nullopt;
  return Rotated{std::string{name}, *first, *second};
}

// The text between begin and end, which are all of name; nothing: it has another form.
std::optional<std::string_view> between(std::string_view begin, std::string_view name,
                                        std::string_view end) {
  if (name.size() < begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) {
    return std::nullopt;
  }
  return name.substr(begin.size(), name.size() - begin.size() - end.size());
}

// Whether name is a rotated form of current. Our backups count upwards, those of logrotate
// downwards, dates upwards, and numbers after a date, too. The age is at the end of the name, or
// before its extension.
std::optional<Rotated> rotated_from(std::string_view name, std::string_view current) {
  constexpr std::string_view kCurrent = ".current.log";
  const std::string_view bare = without_archive_suffix(name);
  if (current.ends_with(kCurrent)) {
    const std::string backup =
        std::string{current.substr(0, current.size() - kCurrent.size())} + ".backup.";
    const auto number = number_of(between(backup, bare, ".log").value_or(""));
    if (number) return Rotated{std::string{name}, 1, *number};
  }
  const std::size_t extension = std::min(current.rfind('.'), current.size());
  auto age = between(current, bare, "");
  const bool is_before = !age || age->empty();
  if (is_before) age = between(current.substr(0, extension), bare, current.substr(extension));
  if (!age || age->empty() || (age->front() != '.' && age->front() != '-')) return std::nullopt;
  auto rotated = read_age(name, age->substr(1));
  // `fix-1.log` is another log.
  if (is_before && age->front() == '-' && rotated && rotated->date == 0) return std::nullopt;
  return rotated;
}

bool is_older(const Rotated& left, const Rotated& right) {
  const bool has_date = left.date > 0;
  if (has_date != (right.date > 0)) return has_date;
  if (!has_date) return left.number > right.number;
  return std::tie(left.date, left.number) < std::tie(right.date, right.number);
}

}  // namespace

std::optional<SourceKind> source_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &NamedKind::name);
  return found == kKinds.end() ? std::nullopt : std::optional{found->kind};
}

std::string source_kind_names() {
  std::string names;
  for (const NamedKind& kind : kKinds) names.append(names.empty() ? "" : ", ").append(kind.name);
  return names;
}

std::expected<OpenedSource, std::string> open_source(Disk& disk, const std::string& path,
                                                     SourceKind kind, Follow follow) {
  const bool is_input = path == "-";
  if (kind == SourceKind::Journal ||
      (kind == SourceKind::Recognised && !is_input && has_journal(disk, path))) {
    return OpenedSource{journal_source(disk, path, follow)};
  }
  auto file = disk.open(is_input ? "/dev/stdin" : path, OpenMode::Read);
  if (!file) return std::unexpected{file.error().what()};
  Source bytes =
      is_input ? input_source(std::move(*file))
      : follow == Follow::Yes
          ? followed_source(disk, path, std::move(*file))
          : file_source(std::move(*file), disk.takes_threads() ? Sharing::Yes : Sharing::No);
  return opened_as(std::move(bytes), kind, Within::File);
}

std::vector<std::string> rotated_set(Disk& disk, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string before = slash == path.npos ? "" : path.substr(0, slash + 1);
  const std::string current = path.substr(before.size());
  std::vector<Rotated> found;
  if (const auto names = disk.list(folder)) {
    for (const std::string& name : *names) {
      if (auto rotated = rotated_from(name, current)) found.push_back(std::move(*rotated));
    }
  }
  std::ranges::sort(found, is_older);
  std::vector<std::string> paths;
  paths.reserve(found.size() + 1);
  for (const Rotated& rotated : found) paths.push_back(before + rotated.name);
  paths.push_back(path);
  return paths;
}

}  // namespace nexusfix::logs
