#include "store/scan/open_segments.hpp"

#include <algorithm>
#include <utility>

#include "store/format/journal_format.hpp"

namespace nexusfix::store {

DiskResult<File*> OpenSegments::open(std::uint64_t number) {
  auto found = std::ranges::find(segments_, number, &Segment::number);
  if (found == segments_.end()) {
    auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
    if (!file) return std::unexpected{std::move(file.error())};
    if (segments_.size() == kFilesMax) segments_.pop_back();
    segments_.push_back({number, std::move(*file)});
    found = segments_.end() - 1;
  }
  std::rotate(segments_.begin(), found, found + 1);
  return segments_.front().file.get();
}

void OpenSegments::close_before(std::uint64_t number) noexcept {
  std::erase_if(segments_, [&](const Segment& segment) { return segment.number < number; });
}

}  // namespace nexusfix::store
