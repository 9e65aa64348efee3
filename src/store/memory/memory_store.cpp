#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store {
namespace {

struct Message {
  std::uint64_t number = 0;
  std::uint64_t order = 0;  // among the messages of all sessions
  std::size_t begin = 0;    // in Messages::bytes
  std::size_t size_bytes = 0;
};

// One session's messages of the current epoch, ascending.
struct Messages {
  std::vector<Message> list;
  std::vector<char> bytes;

  [[nodiscard]] std::string_view text(const Message& message) const {
    return {bytes.data() + message.begin, message.size_bytes};
  }
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::uint32_t record_bytes_max) : record_bytes_max_{record_bytes_max} {}

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override {
    if (const std::optional<SessionKey> key = sessions_.find(name)) {
      if (!sessions_.is_unfinished(*key)) return *key;
      return failure(StoreErrorCode::SessionRefused, SessionTable::unfinished_text(name));
    }
    if (auto room = sessions_.has_room_for(name); !room) {
      return failure(StoreErrorCode::TooLarge, room.error());
    }
    const auto key = static_cast<SessionKey>(sessions_.size());
    while (messages_.size() <= key) messages_.emplace_back();
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
    if (auto appended = append_entries(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    durable_ = appended_;
    return key;
  }

  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override {
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionRenamed, .session = key, .number = 0, .bytes = name});
    if (name.size() > kSessionNameBytesMax) {
      return failure(StoreErrorCode::TooLarge, sessions_.check_rename(name).error());
    }
    if (auto appended = append_entries(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    durable_ = appended_;
    return {};
  }

  std::optional<SessionKey> find_session(std::string_view name) const override {
    return sessions_.find(name);
  }
  std::size_t session_count() const noexcept override { return sessions_.size(); }
  std::string_view session_name(SessionKey key) const noexcept override {
    return sessions_.name(key);
  }
  const SessionRecord& session(SessionKey key) const noexcept override {
    return sessions_.record(key);
  }

  std::span<const NumberRange> lost_numbers(SessionKey key) const noexcept override {
    return sessions_.lost(key);
  }

  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override {
    if (transaction.empty()) return appended_;
    return append_entries(transaction.entries(), now);
  }

  LogPosition appended() const noexcept override { return appended_; }
  LogPosition durable() const noexcept override { return durable_; }
  StoreResult<LogPosition> flush() override {
    durable_ = appended_;
    return durable_;
  }

  StoreResult<void> close() override { return {}; }
  bool had_ended_in_order() const noexcept override { return true; }
  std::optional<StoreEvent> next_event() override { return std::nullopt; }

  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override {
    NEXUSFIX_ASSERT(key < messages_.size());
    const Messages& messages = messages_[key];
    const auto begin = std::lower_bound(
        messages.list.begin(), messages.list.end(), first,
        [](const Message& message, std::uint64_t number) { return message.number < number; });
    for (auto at = begin; at != messages.list.end() && at->number <= last; ++at) {
      if (!visit(at->number, messages.text(*at))) break;
    }
    return {};
  }

  StoreResult<void> scan(LogVisitor visit) override {
    struct Place {
      SessionKey session = 0;
      const Message* message = nullptr;
    };
    std::vector<Place> places;
    for (SessionKey key = 0; key < messages_.size(); ++key) {
      for (const Message& message : messages_[key].list) places.push_back({key, &message});
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.message->order < b.message->order; });
    for (const Place& place : places) {
      visit({.session = sessions_.name(place.session),
             .epoch = sessions_.record(place.session).epoch,
             .msg_seq_num = place.message->number,
             .bytes = messages_[place.session].text(*place.message)});
    }
    return {};
  }

 private:
  std::uint32_t record_bytes_max_;
  static std::unexpected<StoreError> failure(StoreErrorCode code, std::string_view reason) {
    return std::unexpected{
        StoreError{.code = code, .text = "memory store: " + std::string{reason}}};
  }

  StoreResult<LogPosition> append_entries(std::span<const char> entries, WallTime now) {
    if (entries.size() > record_bytes_max_) {
      return failure(StoreErrorCode::TooLarge, "a record of " + std::to_string(entries.size()) +
                                                   " bytes is above the limit of " +
                                                   std::to_string(record_bytes_max_));
    }
    make_room(entries);
    if (auto applied = sessions_.apply(entries, now); !applied) {
      return failure(StoreErrorCode::Refused, applied.error());
    }
    while (messages_.size() < sessions_.size()) messages_.emplace_back();
    keep_messages(entries);
    appended_ += entries.size();
    return appended_;
  }

  // So that keep_messages() allocates nothing: numbers and messages must agree.
  void make_room(std::span<const char> entries) {
    EntryReader reader{entries};
    Entry entry;
    std::size_t count = 0;
    while (reader.next(entry)) {
      if (entry.kind != EntryKind::OutboundMessage || entry.session >= messages_.size()) continue;
      Messages& messages = messages_[entry.session];
      const std::size_t size = messages.list.size() + ++count;
      if (messages.list.capacity() < size) messages.list.reserve(2 * size);
      const std::size_t bytes = messages.bytes.size() + entries.size();
      if (messages.bytes.capacity() < bytes) messages.bytes.reserve(2 * bytes);
    }
  }

  void keep_messages(std::span<const char> entries) {
    EntryReader reader{entries};
    Entry entry;
    while (reader.next(entry)) {
      Messages& messages = messages_[entry.session];
      if (begins_epoch(entry)) {
        messages.list.clear();
        messages.bytes.clear();
      } else if (entry.kind == EntryKind::OutboundMessage) {
        messages.list.push_back({.number = entry.number,
                                 .order = ++messages_kept_,
                                 .begin = messages.bytes.size(),
                                 .size_bytes = entry.bytes.size()});
        messages.bytes.insert(messages.bytes.end(), entry.bytes.begin(), entry.bytes.end());
      }
    }
  }

  SessionTable sessions_;
  std::deque<Messages> messages_;  // by session key
  std::uint64_t messages_kept_ = 0;
  LogPosition appended_ = 0;
  LogPosition durable_ = 0;
};

}  // namespace

std::unique_ptr<Store> make_memory_store(std::uint32_t record_bytes_max) {
  return std::make_unique<MemoryStore>(record_bytes_max);
}

}  // namespace nexusfix::store
