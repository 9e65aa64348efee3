#include "venue/demo/progress_bar.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {

std::string ProgressBar::update(std::uint64_t done) {
  constexpr std::size_t kColumns = 40;
  done = std::min(done, total_);
  const std::uint64_t step = drawing_ == Drawing::Terminal ? 5 : 100;  // per mille
  const std::uint64_t permille = done * 1000 / total_ / step * step;
  if (permille <= shown_permille_) return {};
  shown_permille_ = permille;
  const std::string count = fmt::format("{} of {}", with_thousands(done), with_thousands(total_));
  if (drawing_ == Drawing::Lines)
    return fmt::format("{:<15} {:>3} %  {}\n", title_, permille / 10, count);
  const auto share = static_cast<double>(done) / static_cast<double>(total_);
  return fmt::format("\r\x1b[K{:<15} {:<{}} {:>3} %  {}{}", title_, bar_text(share, kColumns),
                     kColumns, permille / 10, count, complete() ? "\n" : "");
}

}  // namespace nexusfix::command
