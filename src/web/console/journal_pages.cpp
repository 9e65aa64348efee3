#include "web/console/journal_pages.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <nexusfix/store/journal.hpp>

#include "web/json/message_json.hpp"

namespace nexusfix::web {
namespace {

// Read in one call of the store.
constexpr std::uint64_t kSliceMessages = 1'000;

}  // namespace

std::expected<void, std::string> JournalPages::open(const std::string& folder) {
  store_.reset();
  auto opened = store::inspect_journal(disk_, folder);
  if (!opened) return std::unexpected{std::move(opened.error().text)};
  store_ = std::move(opened->store);
  folder_ = folder;
  return {};
}

std::expected<MessagePage, std::string> JournalPages::read(const PageRequest& request) {
  if (!store_ || request.before == 0 || request.folder != folder_) {
    if (auto done = open(request.folder); !done) return std::unexpected{std::move(done.error())};
  }
  const auto key = store_->find_session(request.session);
  if (!key) return std::unexpected{"the journal has no session " + request.session};
  MessagePage page;
  const std::uint64_t end = store_->session(*key).next_outbound;
  std::uint64_t below = request.before == 0 ? end : std::min(request.before, end);
  std::uint64_t searched = 0;
  while (below > 1 && page.messages.size() < kPageMessages && searched < kSearchedMax) {
    const std::uint64_t first = below > kSliceMessages ? below - kSliceMessages : 1;
    std::vector<StoredMessage> slice;
    const auto visit = [&](std::uint64_t number, std::string_view bytes) {
      const bool is_wanted =
          request.text.empty() || shown_message(bytes).find(request.text) != std::string::npos;
      if (is_wanted) slice.push_back({number, std::string{bytes}});
      return true;
    };
    if (auto done = store_->read(*key, first, below - 1, visit); !done && slice.empty()) {
      return std::unexpected{std::move(done.error().text)};
    }
    searched += below - first;
    below = first;
    for (StoredMessage& one : slice | std::views::reverse) {
      if (page.messages.size() == kPageMessages) {
        below = page.messages.back().number;
        break;
      }
      page.messages.push_back(std::move(one));
    }
  }
  page.before = below > 1 ? below : 0;
  return page;
}

}  // namespace nexusfix::web
