#include "nexusfix/messages/scanned_file.hpp"

#include <cstdint>
#include <expected>
#include <fmt/format.h>
#include <vector>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {

using printing::MessageScanner;

DiskResult<MessageScanner::Skipped> scan_file(Disk& disk, const FileScan& file,
                                              FileScanCalls calls) {
  constexpr std::size_t kChunkBytes = std::size_t{64} << 10U;
  auto opened = disk.open(file.path == "-" ? "/dev/stdin" : file.path, OpenMode::Read);
  if (!opened) return std::unexpected{opened.error()};
  MessageScanner scanner{file.delimiter};
  std::vector<char> chunk(kChunkBytes);
  for (std::uint64_t offset = 0;;) {
    const auto got = (*opened)->read_some_at(offset, chunk);
    if (!got) return std::unexpected{got.error()};
    scanner.feed({chunk.data(), *got});
    offset += *got;
    if (*got == 0) scanner.finish();
    while (const auto message = scanner.next()) calls.each(*message);
    if (*got == 0) return scanner.skipped();
    if (*got < chunk.size()) calls.drained();
  }
}

std::string skipped_text(const FileScan& file, const MessageScanner::Skipped& skipped) {
  return fmt::format("{}: {} with 8=FIX {} no message, the first at byte {}: {}",
                     file.path == "-" ? "standard input" : file.path,
                     counted(skipped.count, "place"), skipped.count == 1 ? "is" : "are",
                     with_thousands(skipped.first_offset),
                     file.delimiter.empty() ? "a version, a separator and 9= do not follow"
                                            : "the delimiter does not follow");
}

}  // namespace nexusfix::command
