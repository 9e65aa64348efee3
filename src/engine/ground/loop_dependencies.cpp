#include "engine/ground/loop_dependencies.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <nexusfix/base/disk.hpp>

#include "base/api/utf8.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::uint64_t kListBytesMax = std::uint64_t{64} << 20U;
constexpr std::string_view kByOperator = "an operator";  // a line of a former version

}  // namespace

std::expected<std::shared_ptr<DisabledSessions>, std::string> DisabledSessions::open(
    std::string file) {
  auto disabled = std::make_shared<DisabledSessions>();
  disabled->file_ = std::move(file);
  if (disabled->file_.empty()) return disabled;
  PosixDisk disk;
  const auto content = read_regular_file(disk, disabled->file_, kListBytesMax);
  if (!content) {
    const int cause = content.error().error_number;
    if (cause == ENOENT || cause == ENOTDIR) return disabled;
    return std::unexpected{"the list of disabled sessions cannot be read: " +
                           content.error().what()};
  }
  // An operator may have edited it on another system.
  for (std::string_view rest = without_byte_order_mark(*content); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    if (tab > 0) {
      const std::string_view by = line.substr(std::min(tab + 1, line.size()));
      disabled->names_.emplace(line.substr(0, tab), by.empty() ? kByOperator : by);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  disabled->has_any_ = !disabled->names_.empty();
  return disabled;
}

std::expected<void, std::string> DisabledSessions::add(const std::string& session,
                                                       const std::string& by) {
  const std::lock_guard changing{changing_};
  Names names = names_;
  std::string shown = by;
  std::ranges::replace_if(shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  names.insert_or_assign(session, std::move(shown));
  return replace(std::move(names));
}

std::expected<void, std::string> DisabledSessions::remove(const std::string& session) {
  const std::lock_guard changing{changing_};
  Names names = names_;
  names.erase(session);
  return replace(std::move(names));
}

std::expected<void, std::string> DisabledSessions::replace(Names names) {
  if (!file_.empty()) {
    std::string content;
    for (const auto& [name, by] : names) ((content += name) += '\t') += by + '\n';
    PosixDisk disk;
    if (auto done = replace_file(disk, file_, content); !done) {
      return std::unexpected{"the list of disabled sessions cannot be written: " +
                             done.error().what()};
    }
  }
  const std::lock_guard lock{mutex_};
  names_ = std::move(names);
  has_any_.store(!names_.empty(), std::memory_order_relaxed);
  return {};
}

}  // namespace nexusfix::engine
