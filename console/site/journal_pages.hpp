// Pages of a session's stored messages, the newest first, from the engine's journal on the disk.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::web {

struct PageRequest {
  std::string folder;        // of the journal of the session's loop
  std::string session;       // its name
  std::uint64_t before = 0;  // MessagePage::before of the page before this one; 0: from the newest
  std::string text;          // which the message, with `|` for SOH, must contain; empty: any
  // Received ones, too, and those of earlier epochs. The journal has them with JournalInbound=Y.
  bool has_received = false;
};
struct StoredMessage {
  std::uint64_t at = 0;  // its MsgSeqNum; with has_received, its place in the session's log
  bool is_received = false;
  std::string bytes;
};
struct MessagePage {
  std::vector<StoredMessage> messages{};
  std::uint64_t before = 0;  // for the next page: only messages with a smaller `at`; 0: no more
};

// One thread at a time. It reads beside the engine, which does not notice it.
class JournalPages {
 public:
  static constexpr std::size_t kPageMessages = 100;
  // A search looks at this number of messages, and then answers with what it has found.
  static constexpr std::uint64_t kSearchedMax = 50'000;

  explicit JournalPages(Disk& disk) noexcept : disk_{disk} {}

  // The first page of a session reads the journal as it is now; the next ones read the same. Blocks
  // on the disk, the first page as long as it takes to verify the journal. The error says why
  // nothing can be read.
  [[nodiscard]] std::expected<MessagePage, std::string> read(const PageRequest& request);

 private:
  [[nodiscard]] std::expected<void, std::string> open(const std::string& folder);
  [[nodiscard]] std::expected<MessagePage, std::string> sent(const PageRequest& request);
  // Reads the whole log: received messages have no index.
  [[nodiscard]] std::expected<MessagePage, std::string> both(const PageRequest& request);

  Disk& disk_;
  std::string folder_;
  std::unique_ptr<store::Store> store_;  // null: none is open
};

}  // namespace nexusfix::web
