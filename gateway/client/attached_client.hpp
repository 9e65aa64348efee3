// One connection of a client, from its first byte to its Closed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "gateway/door/client_link.hpp"
#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"
#include "gateway/replay/journal_replay.hpp"
#include "gateway/rights/client_rights.hpp"
#include "gateway/ring/gateway_ring.hpp"

namespace nexusfix::gateway {

// A message on its way to clients.
struct RoutedMessage {
  std::uint32_t session = 0;  // its place among all of the gateway
  bool is_sent = false;       // the session has sent it; otherwise it has received it
  MessagePlace place;
  std::string_view bytes;
};

// The thread of the gateway's loop.
class AttachedClient {
 public:
  // deadline: for the Hello.
  AttachedClient(std::unique_ptr<ClientLink> link, std::string peer, MonoTime deadline)
      : link_{std::move(link)}, peer_{std::move(peer)}, deadline_{deadline} {}

  // Its name and token are those of a client, although the Hello may still be refused.
  void identify() noexcept { is_identified_ = true; }
  [[nodiscard]] bool is_identified() const noexcept { return is_identified_; }
  // The Hello was accepted. passed: for each session the message before the first one that the
  // client gets, received and sent.
  void admit(const ClientRights& rights, std::vector<MessagePlace> received,
             std::vector<MessagePlace> sent, std::uint64_t last_number);
  // The sessions that the client may see, rising: its own indexes are 0, 1, 2 and so on.
  void number_sessions(std::vector<std::uint32_t> seen) { seen_ = std::move(seen); }
  // The client's index of a session that it may see.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t session) const noexcept {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(seen_, session) - seen_.begin());
  }
  // The session with this index of the client; nothing: it has no such session.
  [[nodiscard]] std::optional<std::uint32_t> session_at(std::uint32_t index) const noexcept {
    return index < seen_.size() ? std::optional{seen_[index]} : std::nullopt;
  }
  // From now on frames go by shared memory. What was sent before still goes by the socket.
  void move_to(std::unique_ptr<GatewayRing> ring);
  // The journal is read first: what arrives meanwhile is held.
  void replay(std::unique_ptr<JournalReplay> replay) { replay_ = std::move(replay); }

  // Null: it has said no valid Hello yet.
  [[nodiscard]] const ClientRights* rights() const noexcept { return rights_; }
  // For events: the name, or before the Hello its user and process.
  [[nodiscard]] const std::string& name() const noexcept { return rights_ ? rights_->name : peer_; }
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
  [[nodiscard]] ClientLink& link() noexcept { return *link_; }
  [[nodiscard]] std::uint64_t last_number() const noexcept { return last_number_; }
  // A Send was accepted.
  void set_last_number(std::uint64_t number) noexcept {
    last_number_ = number;
    set_refused(0);
  }
  // The client asks that no number is accepted after a lower one that was refused.
  void keep_in_order() noexcept { refused_number_ = 0; }
  // A Send was refused.
  void set_refused(std::uint64_t number) noexcept {
    if (refused_number_) refused_number_ = number;
  }
  // The number that must be used again before a higher one; 0: none.
  [[nodiscard]] std::uint64_t refused_before(std::uint64_t number) const noexcept {
    return refused_number_ && number > *refused_number_ ? *refused_number_ : 0;
  }

  // A frame that belongs to no order of messages. A client that has no room for it is cut.
  void send(const FrameHeader& header, std::string_view body = {});
  // A message, unless the client has it already.
  void deliver(const RoutedMessage& message);
  // Gives the client what the journal had, and then what was held. True: it has all of it now.
  bool go_on_replaying();
  [[nodiscard]] bool is_replaying() const noexcept { return replay_ != nullptr; }
  // Null: it reads nothing from the journal.
  [[nodiscard]] JournalReplay* replay() noexcept { return replay_.get(); }

  // Says Closed with this reason. Nothing is read any more. The first reason counts.
  void close(CloseCode code, std::string_view why, MonoTime now);
  // The client has gone: it gets nothing more.
  void drop(std::string_view why);
  [[nodiscard]] bool is_closing() const noexcept { return is_closing_; }
  [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }
  [[nodiscard]] CloseCode close_code() const noexcept { return close_code_; }
  [[nodiscard]] const std::string& close_text() const noexcept { return close_text_; }
  // It waited too long: for a Hello, or to take its Closed.
  [[nodiscard]] bool is_overdue(MonoTime now) const noexcept { return now >= deadline_; }
  // What waits now may go to the client with release(Marked), when the store has made it durable.
  void mark() noexcept { marked_ = waiting_.size(); }
  enum class Part : std::uint8_t { Marked, All };
  // Gives the client that part of what waits, as far as it takes it now.
  void release(Part part);
  // The client never gets what waits for it.
  void discard_waiting();
  // Something waits for the client.
  [[nodiscard]] bool has_unsent() const noexcept {
    return !waiting_.empty() || link_->has_unsent();
  }
  // The connection can end: the client has its Closed, or will never take it.
  [[nodiscard]] bool is_done(MonoTime now);

 private:
  // False: the client is too slow. close() needs the time, so that comes later.
  [[nodiscard]] bool has_room_for(std::size_t bytes);
  void forget_released();

  std::unique_ptr<ClientLink> link_;
  std::string peer_;
  const ClientRights* rights_ = nullptr;
  MonoTime deadline_;
  std::vector<std::uint32_t> seen_;     // the sessions of the client, by its own indexes
  std::vector<MessagePlace> received_;  // by session: the last message that was given or passed
  std::vector<MessagePlace> sent_;
  std::uint64_t last_number_ = 0;
  std::optional<std::uint64_t> refused_number_;  // since then; 0: none; absent: not in order
  std::unique_ptr<JournalReplay> replay_;
  std::vector<char> held_;     // frames that came after the replay began
  std::vector<char> waiting_;  // frames that the link does not have yet
  std::size_t released_ = 0;   // of waiting_: the link has them
  std::size_t marked_ = 0;     // of waiting_
  bool is_identified_ = false;
  bool is_closing_ = false;
  bool is_gone_ = false;
  bool is_too_slow_ = false;
  CloseCode close_code_{};
  std::string close_text_;
};

}  // namespace nexusfix::gateway
