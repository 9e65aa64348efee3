#include "nexusfix/files/write_file.hpp"

namespace nexusfix::command {

std::expected<void, std::string> write_whole_file(Disk& disk, const std::string& path,
                                                  std::string_view content) {
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error().what()};
  if (auto done = (*file)->truncate(0); !done) return std::unexpected{done.error().what()};
  if (auto done = (*file)->write_at(0, content); !done) {
    return std::unexpected{done.error().what()};
  }
  return {};
}

}  // namespace nexusfix::command
