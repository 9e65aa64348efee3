// The files of the console's page, which the build puts into the library.
#pragma once

#include <span>
#include <string_view>

namespace nexusfix::web {

struct PageFile {
  std::string_view path;          // "/console.css"; "/" for index.html
  std::string_view content_type;  // of the answer
  std::string_view content;
};

// Static lifetime.
[[nodiscard]] std::span<const PageFile> page_files() noexcept;

}  // namespace nexusfix::web
