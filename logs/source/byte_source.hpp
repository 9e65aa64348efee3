// The bytes of a log, wherever they come from: a file, standard input, an archive, a hex dump or a
// journal. Each source reads another one, or the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::logs {

// Why a source has no more bytes.
enum class SourceEnd : std::uint8_t {
  Final,      // no more bytes will come
  Waits,      // more bytes may come: the source is followed
  Rotated,    // the path of a followed file is that of another file now
  Truncated,  // a followed file is shorter than what was read of it
};

// One thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Writes up to bytes.size() bytes, as soon as there are any, and returns their number. 0: the
  // end. The error is one line without the source's name; it is final. May block.
  [[nodiscard]] virtual std::expected<std::size_t, std::string> read(std::span<char> bytes) = 0;
  // After read() returned 0.
  [[nodiscard]] virtual SourceEnd end() const { return SourceEnd::Final; }
  // After end() is Waits: what could not be read so far, one line; empty: nothing.
  [[nodiscard]] virtual std::string damage() const { return {}; }
  // The file that has exactly the bytes of this source: any thread may read any part of it. Null:
  // the bytes can only be read in order.
  [[nodiscard]] virtual File* shared_file() noexcept { return nullptr; }
};

using Source = std::unique_ptr<ByteSource>;

// The error of a source that Ctrl-C has ended.
inline constexpr std::string_view kInterrupted = "interrupted";
// The error of a file that is shorter than when it was opened.
inline constexpr std::string_view kFileCut = "the file was cut while it was read";

// Bytes that were read from another source, and then the rest of that source, which may be null.
[[nodiscard]] Source source_of(std::string head, Source rest);
// No bytes, but this error.
[[nodiscard]] Source failing_source(std::string error);
// The bytes of an open file. Shared: several threads may read it if it has a size.
enum class Sharing : std::uint8_t { No, Yes };
[[nodiscard]] Source file_source(std::unique_ptr<File> file, Sharing sharing = Sharing::No);
// The bytes of standard input. Ctrl-C ends a wait for them with an error.
[[nodiscard]] Source input_source(std::unique_ptr<File> input);
// The bytes of the file with this path, and those that are appended to it, until another file has
// the path or the file is truncated. The disk must outlive the source.
[[nodiscard]] Source followed_source(Disk& disk, std::string path, std::unique_ptr<File> file);

// The unpacked bytes of an archive: one or more gzip members, zstd frames or xz streams. An archive
// that is cut or damaged is an error after the bytes that could be unpacked. Unpacking needs at
// most 64 MiB; an archive that wants more is an error.
[[nodiscard]] Source gzip_source(Source packed);
[[nodiscard]] Source zstd_source(Source packed);
[[nodiscard]] Source xz_source(Source packed);

// Whether text begins like a hex dump of xxd, hexdump -C, od, tcpdump -X or Wireshark.
[[nodiscard]] bool is_hex_dump(std::string_view text);
// The bytes that a hex dump shows. Lines that are none of it are left out.
[[nodiscard]] Source hex_source(Source dump);

// The messages of a journal, one a line: "TIME SESSION OUT epoch 1 : 8=FIX...". Segments that were
// retired or archived are read, too. The journal may be in use. Damage is passed over, and is an
// error after the last message. A thread of its own reads the journal. The disk must outlive the
// source. Followed: the source waits for more messages; the journal is read again when it has
// grown, at most a tenth of the time.
enum class Follow : std::uint8_t { No, Yes };
[[nodiscard]] Source journal_source(Disk& disk, std::string folder, Follow follow = Follow::No);

}  // namespace nexusfix::logs
