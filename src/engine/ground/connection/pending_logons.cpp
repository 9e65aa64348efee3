#include "engine/ground/connection/pending_logons.hpp"

#include <algorithm>

#include "engine/ground/undo_guard.hpp"

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

}  // namespace nexusfix::engine
