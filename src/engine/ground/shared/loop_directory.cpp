#include "engine/ground/shared/loop_directory.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "base/api/exceptions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {
namespace {

std::atomic<std::uint64_t> directories{0};   // the number of directories that were made
thread_local std::uint64_t served_here = 0;  // the id of the served directory; 0: none

}  // namespace

LoopDirectory::LoopDirectory() : id_{directories.fetch_add(1, std::memory_order_relaxed) + 1} {}

LoopDirectory::~LoopDirectory() {
  for (const auto& loop : loops_) {
    for (const MigratedConnection& one : loop->inbox) ::close(one.connection.descriptor);
  }
}

void LoopDirectory::add_loop(std::uint32_t loop, transport::Network& network) {
  const std::lock_guard lock{mutex_};
  NEXUSFIX_ASSERT(loop == loops_.size());
  loops_.push_back(std::make_unique<Loop>());
  loops_.back()->network = &network;
}

void LoopDirectory::remove_loop(std::uint32_t loop) {
  // Destroyed after the lock is released: the destructor may post.
  std::unique_ptr<LoopTask> undone;
  const std::lock_guard lock{mutex_};
  Loop& own = *loops_[loop];
  own.network = nullptr;
  undone = std::move(own.tasks);
  for (const MigratedConnection& one : own.inbox) ::close(one.connection.descriptor);
  own.inbox.clear();
}

LoopDirectory::Claim* LoopDirectory::find_claim(const transport::Endpoint& endpoint) {
  const auto is_it = [&](const Claim& one) {
    return one.endpoint.host == endpoint.host && one.endpoint.port == endpoint.port;
  };
  const auto found = std::ranges::find_if(claims_, is_it);
  return found == claims_.end() ? nullptr : &*found;
}

void LoopDirectory::serve_here() const noexcept { served_here = id_; }
void LoopDirectory::serve_no_more() noexcept { served_here = 0; }
bool LoopDirectory::is_served_here() const noexcept { return served_here == id_; }

std::expected<bool, transport::NetworkError> LoopDirectory::claim(
    const transport::Endpoint& endpoint, std::uint32_t loop, Listen listen) {
  const std::lock_guard lock{mutex_};
  if (Claim* const found = find_claim(endpoint)) {
    if (!(std::ranges::find(found->users, loop) != found->users.end()))
      found->users.push_back(loop);
    return found->loop == loop;
  }
  claims_.reserve(claims_.size() + 1);
  Claim made{.endpoint = endpoint, .loop = loop, .users = {loop}};
  if (auto listening = listen(); !listening) return std::unexpected{std::move(listening.error())};
  claims_.push_back(std::move(made));
  return true;
}

std::string_view LoopDirectory::difference(const transport::Endpoint& endpoint) {
  const std::lock_guard lock{mutex_};
  const Claim* const found = find_claim(endpoint);
  if (found == nullptr) return {};
  if (found->endpoint.tls != endpoint.tls) return "TLS";
  return found->endpoint.trusted_proxies != endpoint.trusted_proxies ? "proxies" : "";
}

std::optional<std::uint32_t> LoopDirectory::leave(const transport::Endpoint& endpoint,
                                                  std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  Claim* const found = find_claim(endpoint);
  if (found == nullptr) return std::nullopt;
  std::erase(found->users, loop);
  found->rules.erase(loop);
  if (!found->users.empty()) return std::nullopt;
  return found->loop;
}

// Holds the lock, so that the next claim of the endpoint finds its port free.
void LoopDirectory::retire(const transport::Endpoint& endpoint, std::uint32_t loop,
                           FunctionRef<void()> close) {
  const std::lock_guard lock{mutex_};
  Claim* const found = find_claim(endpoint);
  if (found == nullptr || found->loop != loop || !found->users.empty()) return;
  close();
  claims_.erase(claims_.begin() + (found - claims_.data()));
}

void LoopDirectory::change(const transport::Endpoint& endpoint) {
  const std::lock_guard lock{mutex_};
  if (Claim* const found = find_claim(endpoint)) found->endpoint = endpoint;
}

void LoopDirectory::allow(const transport::Endpoint& endpoint, std::uint32_t loop,
                          const transport::AllowList& allowed, std::uint32_t logon_bytes_max) {
  const std::lock_guard lock{mutex_};
  Claim* const found = find_claim(endpoint);
  if (found != nullptr) found->rules[loop] = {allowed, logon_bytes_max};
}

std::uint32_t LoopDirectory::logon_bytes_max(const transport::Endpoint& endpoint) {
  const std::lock_guard lock{mutex_};
  const Claim* const found = find_claim(endpoint);
  std::uint32_t most = 0;
  if (found == nullptr) return most;
  for (const auto& [loop, rules] : found->rules) most = std::max(most, rules.logon_bytes_max);
  return most;
}

bool LoopDirectory::allows(const transport::Endpoint& endpoint, std::string_view address) {
  const std::lock_guard lock{mutex_};
  const Claim* const found = find_claim(endpoint);
  return found != nullptr && std::ranges::any_of(found->rules, [&](const auto& one) {
           return one.second.allowed.contains(address);
         });
}

void LoopDirectory::add_acceptor(const std::string& name, std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  acceptors_.insert_or_assign(name, loop);
}

void LoopDirectory::remove_acceptor(const std::string& name) {
  const std::lock_guard lock{mutex_};
  acceptors_.erase(name);
}

void LoopDirectory::add_template(const session::SessionId& pattern, std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  templates_.push_back({pattern, loop});
}

void LoopDirectory::remove_template(const session::SessionId& pattern, std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  const auto is_it = [&](const Template& one) {
    return one.pattern == pattern && one.loop == loop;
  };
  const auto found = std::ranges::find_if(templates_, is_it);
  if (found != templates_.end()) templates_.erase(found);
}

bool LoopDirectory::is_said_first(const std::string& text) {
  const std::lock_guard lock{mutex_};
  return said_.insert(text).second;
}

std::uint32_t LoopDirectory::settle(std::string_view name, std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  if (const auto found = homes_.find(name); found != homes_.end()) return found->second;
  return homes_.emplace(name, loop).first->second;
}

std::optional<std::uint32_t> LoopDirectory::home_of(std::string_view name) {
  const std::lock_guard lock{mutex_};
  const auto found = homes_.find(name);
  if (found == homes_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> LoopDirectory::find(const session::SessionId& id) {
  const std::lock_guard lock{mutex_};
  if (const auto found = acceptors_.find(id.to_string()); found != acceptors_.end()) {
    return found->second;
  }
  const std::string plain = session::without_sub_ids(id).to_string();
  if (const auto found = acceptors_.find(plain); found != acceptors_.end()) {
    return found->second;
  }
  const auto fits = [&](const Template& one) { return session::stands_for(one.pattern, id); };
  const auto found = std::ranges::find_if(templates_, fits);
  if (found == templates_.end()) return std::nullopt;
  return found->loop;
}

bool LoopDirectory::migrate(std::uint32_t loop, MigratedConnection handed) {
  const std::lock_guard lock{mutex_};
  Loop& to = *loops_[loop];
  UndoGuard undo{[descriptor = handed.connection.descriptor] { ::close(descriptor); }};
  if (to.network == nullptr) return false;
  to.inbox.push_back(std::move(handed));
  undo.keep();
  to.has_work.store(true, std::memory_order_release);  // Pairs with the acquire in take().
  to.network->wake();
  return true;
}

void LoopDirectory::set_reloader(std::uint32_t loop, Reloader& reloader) noexcept {
  loops_[loop]->reloader = &reloader;
}

Reloader& LoopDirectory::reloader(std::uint32_t loop) const noexcept {
  return *loops_[loop]->reloader;
}

void LoopDirectory::close_unused(std::uint32_t loop) noexcept {
  const std::lock_guard lock{mutex_};
  Loop& to = *loops_[loop];
  if (to.network == nullptr) return;
  to.closes_unused = true;
  to.has_work.store(true, std::memory_order_release);  // Pairs with the acquire in take().
  to.network->wake();
}

void LoopDirectory::post(std::uint32_t loop, std::unique_ptr<LoopTask> task) noexcept {
  const std::lock_guard lock{mutex_};
  Loop& to = *loops_[loop];
  if (to.network == nullptr) return;  // The task is destroyed after the lock is released.
  LoopTask* const added = task.get();
  (to.tasks ? to.last_task->next : to.tasks) = std::move(task);
  to.last_task = added;
  to.has_work.store(true, std::memory_order_release);  // Pairs with the acquire in take().
  to.network->wake();
}

LoopDirectory::Arrived LoopDirectory::take(std::uint32_t loop) noexcept {
  Loop& own = *loops_[loop];
  if (!own.has_work.load(std::memory_order_acquire)) [[likely]]
    return {};
  const std::lock_guard lock{mutex_};
  own.has_work.store(false, std::memory_order_relaxed);
  return {std::exchange(own.inbox, {}), std::exchange(own.tasks, nullptr),
          std::exchange(own.closes_unused, false)};
}

}  // namespace nexusfix::engine
