#include "nexusfix/scanned_file.hpp"

#include <cstdint>
#include <expected>
#include <vector>

namespace nexusfix::command {

DiskResult<void> scan_file(Disk& disk, const std::string& path,
                           FunctionRef<void(const printing::ScannedMessage&)> each) {
  constexpr std::size_t kChunkBytes = std::size_t{64} << 10U;
  auto file = disk.open(path == "-" ? "/dev/stdin" : path, OpenMode::Read);
  if (!file) return std::unexpected{file.error()};
  printing::MessageScanner scanner;
  std::vector<char> chunk(kChunkBytes);
  for (std::uint64_t offset = 0;;) {
    const auto got = (*file)->read_at(offset, chunk);
    if (!got) return std::unexpected{got.error()};
    scanner.feed({chunk.data(), *got});
    offset += *got;
    if (*got < chunk.size()) scanner.finish();
    while (const auto message = scanner.next()) each(*message);
    if (*got < chunk.size()) return {};
  }
}

}  // namespace nexusfix::command
