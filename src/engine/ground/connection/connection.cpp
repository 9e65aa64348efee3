#include "engine/ground/connection/connection.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "base/api/exceptions.hpp"
#include "base/api/secret.hpp"
#include "engine/ground/connection/repaired_frame.hpp"
#include "engine/ground/state/session_entry.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::uint32_t kNoLimit = UINT32_MAX;

std::uint32_t larger(std::uint32_t limit, std::uint32_t given) noexcept {
  return std::max(limit, given == 0 ? kNoLimit : given);
}

}  // namespace

void PendingLogons::Limits::widen(const Limits& other) noexcept {
  all_max = larger(all_max, other.all_max);
  per_source_max = larger(per_source_max, other.per_source_max);
}

std::optional<transport::SocketId> PendingLogons::oldest_of_most() const noexcept {
  const auto most =
      std::ranges::max_element(sources_, {}, [](const auto& entry) { return entry.second.size(); });
  if (most == sources_.end() || most->second.size() <= 1) return std::nullopt;
  return most->second.front();
}

PendingLogons::Place PendingLogons::ask(transport::Source source,
                                        const Limits& limits) const noexcept {
  const auto own = sources_.find(source);
  const std::size_t own_size = own == sources_.end() ? 0 : own->second.size();
  if (own_size >= limits.per_source_max) return {Answer::TooManyOfSource};
  if (size_ < limits.all_max) return {};
  const auto most =
      std::ranges::max_element(sources_, {}, [](const auto& entry) { return entry.second.size(); });
  if (most == sources_.end() || most->second.size() <= own_size + 1) return {Answer::TooMany};
  return {Answer::Yes, most->second.front()};
}

void PendingLogons::add(transport::Source source, transport::SocketId socket) {
  const auto place = sources_.try_emplace(source).first;
  UndoGuard undo{[&] {
    if (place->second.empty()) sources_.erase(place);
  }};
  place->second.push_back(socket);
  undo.keep();
  ++size_;
}

void PendingLogons::remove(transport::Source source, transport::SocketId socket) noexcept {
  const auto place = sources_.find(source);
  if (place == sources_.end()) return;
  size_ -= std::erase(place->second, socket);
  if (place->second.empty()) sources_.erase(place);
}

void LentBytes::recall() noexcept {
  if (queue_ != nullptr) queue_->copy_lent();
}

void OutboundQueue::copy_lent() noexcept {
  LentBytes* const lent = std::exchange(lent_, nullptr);
  if (lent == nullptr) return;
  lent->queue_ = nullptr;
  std::memcpy(bytes_.get() + begin_, lent->bytes_ + begin_, size());
}

void OutboundQueue::remove_front(std::size_t count) noexcept {
  copy_lent();
  begin_ += count;
  NEXUSFIX_DEBUG_ASSERT(begin_ <= end_);
  if (begin_ <= end_ / 2) return;
  std::memmove(bytes_.get(), bytes_.get() + begin_, size());
  end_ = size();
  begin_ = 0;
}

void OutboundQueue::release() noexcept {
  bytes_.reset();
  clear();
  storage_ = 0;
}

bool OutboundQueue::give_back() noexcept {
  if (storage_ <= kKeptBytesMax) return false;
  if (!empty()) return true;
  release();
  return false;
}

void OutboundQueue::grow(std::size_t storage) {
  copy_lent();
  auto larger = std::make_unique_for_overwrite<char[]>(storage);
  std::copy_n(bytes_.get(), end_, larger.get());
  bytes_ = std::move(larger);
  storage_ = storage;
}

void CarriedBytes::append(std::string_view bytes) {
  if (const std::size_t storage = storage_for(bytes.size()); storage != 0) {
    std::vector<char> larger;
    larger.reserve(storage);
    const std::string_view kept = view();
    larger.assign(kept.begin(), kept.end());
    if (wipes_on_clear_) wipe_bytes(bytes_);
    bytes_.swap(larger);
    begin_ = 0;
    storage_ = bytes_.capacity();
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::size_t CarriedBytes::storage_for(std::size_t bytes) const noexcept {
  if (bytes_.size() + bytes <= bytes_.capacity()) return 0;
  const std::size_t kept = size() + bytes;
  return std::max({kept, kStorageBytesMin, 2 * std::min(kept, bytes_.capacity())});
}

void CarriedBytes::drop_front(std::size_t count) noexcept {
  if (wipes_on_clear_) wipe_bytes(std::span{bytes_}.subspan(begin_, count));
  begin_ += count;
  if (begin_ < size()) return;
  const std::size_t kept = size();
  std::ranges::copy(view(), bytes_.begin());
  if (wipes_on_clear_) wipe_bytes(std::span{bytes_}.subspan(kept));
  bytes_.resize(kept);
  begin_ = 0;
}

void CarriedBytes::clear() noexcept {
  const bool had_logon = std::exchange(wipes_on_clear_, false);
  if (had_logon) wipe_bytes(bytes_);
  bytes_.clear();
  begin_ = 0;
  if (!had_logon && bytes_.capacity() <= kKeptBytesMax) return;
  std::vector<char>{}.swap(bytes_);
  storage_ = 0;
}

wire::FrameResult Framing::next_unsound(std::string_view bytes) noexcept {
  const std::size_t unsound = unsound_ & ~kFullPath;
  if (unsound == 0) return scanner_.next(bytes);
  const std::size_t size = first_message_size(bytes.substr(0, unsound));
  unsound_ -= size;
  return {wire::FrameResult::Status::Complete, size, wire::GarbledReason::BodyLengthWrong};
}

Connection::Connection(transport::SocketId socket, SessionEntry& entry, MonoTime deadline) noexcept
    : socket_{socket},
      entry_{&entry},
      state_{LinkState::Connecting},
      deadline_{deadline},
      framing_{entry.frame_scanner()} {}

void Connection::link() noexcept {
  entry_->connect(*this);
  entry_->counters->details.make();
}

void Connection::on_connected() noexcept {
  become(LinkState::Bound);
  deadline_ = kNever;
}

void Connection::bind_to(SessionEntry& entry) noexcept {
  become(LinkState::Bound);
  entry_ = &entry;
  link();
  framing_.use(entry.frame_scanner());
  deadline_ = kNever;
}

void Connection::begin_password_check(MonoTime now, LoopWork& work) noexcept {
  become(LinkState::CheckingPassword);
  begin_wait(now);
  pause(deadline_, work);
}

void Connection::defer_logon(MonoTime now, MonoTime until, LoopWork& work) noexcept {
  become(LinkState::Deferred);
  begin_wait(now);
  pause(until, work);
}

void Connection::begin_wait(MonoTime now) noexcept {
  if (!has_waited_) waits_since_ = now;
  has_waited_ = true;
}

void Connection::defer_logon_again(MonoTime until) noexcept {
  NEXUSFIX_DEBUG_ASSERT(state_ == LinkState::Deferred);
  paused_until_ = until;
}

void Connection::end_pause() noexcept {
  paused_until_ = kNever;
  if (state_ == LinkState::CheckingPassword || state_ == LinkState::Deferred) {
    become(LinkState::AwaitingLogon);
  }
}

void Connection::begin_migration(Migration migration) noexcept {
  become(LinkState::Migrating);
  migration_ = std::move(migration);
}

void Connection::join_pending(PendingLogons& pending) {
  pending.add(accepted_.source, socket_);
  accepted_.pending = &pending;
}

void Connection::leave_pending() noexcept {
  PendingLogons* const pending = std::exchange(accepted_.pending, nullptr);
  if (pending != nullptr) pending->remove(accepted_.source, socket_);
}

SessionEntry* Connection::end() noexcept {
  become(LinkState::Dead);
  socket_ = 0;
  if (entry_ != nullptr) entry_->disconnect(*this);
  return std::exchange(entry_, nullptr);
}

}  // namespace nexusfix::engine
