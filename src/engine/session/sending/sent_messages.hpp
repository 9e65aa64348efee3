// The messages that an event has sent, for on_sent() and the message log: both see a message when
// its record is in the store. If a callback throws, its messages are removed and count as never
// sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/engine/events.hpp>

namespace nexusfix::engine {

class SessionEntry;

// The event loop's thread only.
class SentMessages {
 public:
  struct Message {
    SessionEntry* entry = nullptr;
    SentMessage::Kind kind = SentMessage::Kind::Application;
    bool is_transmitted = true;
    bool is_logged = false;
    std::uint64_t msg_seq_num = 0;
  };
  using Mark = std::size_t;  // no message is empty

  SentMessages() = default;
  SentMessages(const SentMessages&) = delete;
  SentMessages& operator=(const SentMessages&) = delete;

  void add(const Message& message, std::string_view bytes) {
    const std::size_t begin = pending_->bytes.size();
    pending_->bytes.append(bytes);
    pending_->messages.push_back({message, begin, bytes.size()});
  }
  // Whether add() of this number of bytes needs no memory.
  [[nodiscard]] bool has_room_for(std::size_t bytes) const noexcept {
    return pending_->bytes.capacity() - pending_->bytes.size() >= bytes &&
           pending_->messages.size() < pending_->messages.capacity();
  }
  [[nodiscard]] Mark mark() const noexcept { return pending_->bytes.size(); }
  // Forgets the messages since the mark.
  void rollback(Mark mark) noexcept {
    while (!pending_->messages.empty() && pending_->messages.back().begin >= mark) {
      pending_->messages.pop_back();
    }
    pending_->bytes.resize(mark);
  }
  void clear() noexcept { pending_->clear(); }
  [[nodiscard]] bool empty() const noexcept { return pending_->messages.empty(); }

  // Calls notify(message, bytes) for each message. Messages that it adds wait for the next call.
  void notify(auto&& notify) noexcept {
    std::swap(pending_, notifying_);
    for (const Entry& one : notifying_->messages) {
      notify(one.message, std::string_view{notifying_->bytes}.substr(one.begin, one.size));
    }
    notifying_->clear();
  }

  // Frees storage above this number of bytes.
  void give_back(std::size_t kept_bytes_max) {
    for (Batch* const batch : {pending_, notifying_}) {
      if (!batch->bytes.empty() || batch->bytes.capacity() <= kept_bytes_max) continue;
      std::string{}.swap(batch->bytes);
    }
  }

 private:
  struct Entry {
    Message message;
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  struct Batch {
    std::vector<Entry> messages;
    std::string bytes;

    void clear() noexcept {
      messages.clear();
      bytes.clear();
    }
  };

  Batch one_;
  Batch other_;
  Batch* pending_ = &one_;
  Batch* notifying_ = &other_;
};

}  // namespace nexusfix::engine
