#include "console/site/journal_pages.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <ranges>
#include <utility>

#include "console/json/message_json.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::web {
namespace {

// Read in one call of the store.
constexpr std::uint64_t kSliceMessages = 1'000;

bool has_text(std::string_view bytes, const std::string& text) {
  return text.empty() || shown_message(bytes).find(text) != std::string::npos;
}

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
  return request.has_received ? both(request) : sent(request);
}

std::expected<MessagePage, std::string> JournalPages::both(const PageRequest& request) {
  using LogKind = store::Store::LogKind;
  std::deque<StoredMessage> newest;
  std::uint64_t at = 0;
  bool has_older = false;
  const auto visit = [&](const store::Store::LogMessage& message) {
    if (message.session != request.session || message.kind == LogKind::Left) return;
    ++at;
    if (request.before != 0 && at >= request.before) return;
    if (!has_text(message.bytes, request.text)) return;
    newest.push_back({at, message.kind == LogKind::Received, std::string{message.bytes}});
    if (newest.size() <= kPageMessages) return;
    newest.pop_front();
    has_older = true;
  };
  if (auto done = store_->scan_all(visit); !done && newest.empty()) {
    return std::unexpected{std::move(done.error().text)};
  }
  MessagePage page;
  if (has_older) page.before = newest.front().at;
  page.messages.assign(std::make_move_iterator(newest.rbegin()),
                       std::make_move_iterator(newest.rend()));
  return page;
}

std::expected<MessagePage, std::string> JournalPages::sent(const PageRequest& request) {
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
      if (has_text(bytes, request.text)) slice.push_back({number, false, std::string{bytes}});
      return true;
    };
    if (auto done = store_->read(*key, first, below - 1, visit); !done && slice.empty()) {
      return std::unexpected{std::move(done.error().text)};
    }
    searched += below - first;
    below = first;
    for (StoredMessage& one : slice | std::views::reverse) {
      if (page.messages.size() == kPageMessages) {
        below = page.messages.back().at;
        break;
      }
      page.messages.push_back(std::move(one));
    }
  }
  page.before = below > 1 ? below : 0;
  return page;
}

}  // namespace nexusfix::web
