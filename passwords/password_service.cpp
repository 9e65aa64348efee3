#include "passwords/password_service.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include <nexusfix/passwords.hpp>

#include "base/api/exceptions.hpp"
#include "base/api/thread_setup.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::engine {
namespace {

// One of this number of turns ignores the standing.
constexpr unsigned kTurnsOfWhichOneIsForAll = 4;

}  // namespace

PasswordService::PasswordService(Disk& disk, std::size_t waiting_max)
    : disk_{disk}, waiting_max_{waiting_max} {
  if (disk_.takes_threads()) thread_ = std::thread{[this] { run(); }};
}

PasswordService::~PasswordService() {
  end();
  if (thread_.joinable()) thread_.join();
}

void PasswordService::end() noexcept {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  has_work_.notify_all();
}

std::shared_ptr<PasswordService> PasswordService::make(Disk& disk, std::shared_ptr<Disk> owner,
                                                       std::size_t waiting_max) {
  auto made = std::make_unique<PasswordService>(disk, waiting_max);
  made->owner_ = std::move(owner);
  return {made.release(), [](PasswordService* ended) {
            if (ended->owner_ == nullptr || !ended->thread_.joinable()) return delete ended;
            ended->end();
            try {
              std::thread{[ended] { delete ended; }}.detach();
            } catch (const std::system_error&) {
              // A leak until the end of the process is better than a process that does not end.
            }
          }};
}

void PasswordService::add_loop(std::uint32_t loop, transport::Network& network) {
  const std::lock_guard lock{mutex_};
  loops_[loop].network = &network;
}

void PasswordService::remove_loop(std::uint32_t loop) {
  const std::lock_guard lock{mutex_};
  loops_.erase(loop);
}

std::optional<std::string> PasswordService::submit(Check check) {
  {
    const std::lock_guard lock{mutex_};
    std::string refusal = lockout_of(check);
    if (!refusal.empty()) return refusal;
    if (pairs_.contains(check.pair)) {
      refusal = "another Logon of this CompID from this address is being checked";
    } else if (pairs_.size() >= waiting_max_ && !make_room(check.source)) {
      refusal = "too many Logons wait for their passwords to be checked";
    }
    if (!refusal.empty()) return refusal;
    pairs_.insert(check.pair);
    if (thread_.joinable()) {
      wait_in_line(std::move(check));
      has_work_.notify_one();
      return std::nullopt;
    }
  }
  finish(check);
  return std::nullopt;
}

void PasswordService::submit(Change change) {
  if (thread_.joinable()) {
    const std::lock_guard lock{mutex_};
    changes_.push_back(std::move(change));
    return has_work_.notify_one();
  }
  finish(change);
}

// Why the password is not checked; empty: it is. A pair that has given the right password before is
// not subject to the lock-out of its address, which other clients may share: the pair's own
// lock-out bounds the guesses.
std::string PasswordService::lockout_of(const Check& check) const {
  const auto text = [](std::chrono::nanoseconds left) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
    return "locked out for " + std::to_string(seconds) + " s more";
  };
  const auto left = lockouts_.left(check.pair, check.now);
  if (left.count() > 0) return text(left);
  if (check.address_lockout.failures_max == 0) return {};
  const auto address_left = address_lockouts_.left(check.source, check.now);
  if (address_left.count() <= 0 || pair_standings_.of(check.pair) == Standing::Trusted) return {};
  return "its address is " + text(address_left);
}

std::pair<Standing, std::size_t> PasswordService::weight_of(const Queues::value_type& entry) const {
  return {standings_.of(entry.first), entry.second.size()};
}

// Removes one waiting Logon. False: no source is worse than this one would then be, by standing and
// then by its number of Logons.
bool PasswordService::make_room(transport::Source source) {
  const auto most = std::ranges::max_element(
      waiting_, {}, [this](const auto& entry) { return weight_of(entry); });
  if (most == waiting_.end()) return false;
  const auto own = waiting_.find(source);
  const std::size_t own_size = own == waiting_.end() ? 0 : own->second.size();
  if (weight_of(*most) <= std::pair{standings_.of(source), own_size + 1}) return false;
  std::deque<Check>& queue = most->second;
  Check& last = queue.back();
  deliver(last.loop,
          {.socket = last.socket,
           .text = "too many Logons wait for their passwords to be checked, and its address "
                   "has most of them, or has given wrong ones"});
  pairs_.erase(last.pair);
  queue.pop_back();
  if (queue.empty()) waiting_.erase(most);
  return true;
}

void PasswordService::wait_in_line(Check check) {
  auto queue = waiting_.end();
  UndoGuard undo{[&] {  // The check is unchanged.
    pairs_.erase(check.pair);
    if (queue != waiting_.end() && queue->second.empty()) waiting_.erase(queue);
  }};
  queue = waiting_.try_emplace(check.source).first;
  queue->second.push_back(std::move(check));
  undo.keep();
}

// The first check of the next source with the best standing, after the source of the last turn.
PasswordService::Check PasswordService::next_in_line() {
  const bool is_for_all = ++turns_ % kTurnsOfWhichOneIsForAll == 0;
  transport::Source& served = is_for_all ? served_of_all_ : served_;
  const auto standing = [&](const auto& entry) {
    return is_for_all ? Standing::Unknown : standings_.of(entry.first);
  };
  const auto rest = waiting_.upper_bound(served);
  const auto later = std::ranges::min_element(rest, waiting_.end(), {}, standing);
  const auto earlier = std::ranges::min_element(waiting_.begin(), rest, {}, standing);
  const bool is_later =
      earlier == rest || (later != waiting_.end() && standing(*later) <= standing(*earlier));
  const auto next = is_later ? later : earlier;
  served = next->first;
  Check check = std::move(next->second.front());
  next->second.pop_front();
  if (next->second.empty()) waiting_.erase(next);
  return check;
}

std::vector<PasswordService::Decision> PasswordService::take(std::uint32_t loop) {
  if (!has_decisions_.load(std::memory_order_relaxed)) [[likely]]
    return {};
  const std::lock_guard lock{mutex_};
  const auto found = loops_.find(loop);
  std::vector<Decision> taken;
  if (found != loops_.end()) taken.swap(found->second.decisions);
  bool has_more = false;
  for (const auto& [other, one] : loops_) has_more = has_more || !one.decisions.empty();
  has_decisions_.store(has_more, std::memory_order_relaxed);
  return taken;
}

void PasswordService::run() {
  lower_thread_priority();
  std::unique_lock lock{mutex_};
  while (true) {
    has_work_.wait(lock, [this] { return is_ending_ || !waiting_.empty() || !changes_.empty(); });
    if (is_ending_) return;
    if (!changes_.empty()) {
      Change change = std::move(changes_.front());
      changes_.pop_front();
      lock.unlock();
      try {
        finish(change);
      } catch (const std::exception&) {  // No memory: LogonTimeout ends the wait.
      }
      lock.lock();
      continue;
    }
    Check check = next_in_line();
    lock.unlock();
    bool is_finished = false;
    try {
      finish(check);
      is_finished = true;
    } catch (const std::exception&) {  // There was no memory for a decision.
    }
    lock.lock();
    // LogonTimeout ends the wait for the decision.
    if (!is_finished) pairs_.erase(check.pair);
  }
}

void PasswordService::finish(Check& check) {
  {
    const std::lock_guard lock{mutex_};  // An earlier check may have locked it out.
    if (std::string refusal = lockout_of(check); !refusal.empty()) {
      pairs_.erase(check.pair);
      return deliver(check.loop, {.socket = check.socket, .text = std::move(refusal)});
    }
  }
  Decision decision = examine(check);
  decision.socket = check.socket;
  check.password.wipe();
  check.new_password.wipe();
  wipe_traces();
  const std::lock_guard lock{mutex_};
  pairs_.erase(check.pair);
  note(check, decision);
  deliver(check.loop, std::move(decision));
}

void PasswordService::finish(Change& change) {
  const std::string user = "user " + change.password.username;
  Decision decision{.socket = change.socket, .is_change = true};
  decision.is_valid = replace(change.password, decision.trouble);
  decision.text = user + (decision.is_valid ? ": the new password is in the file"
                                            : ": the new password cannot be taken");
  change.password.new_password.wipe();
  wipe_traces();
  const std::lock_guard lock{mutex_};
  deliver(change.loop, std::move(decision));
}

// A decision that is neither right nor a guess is our own error: it says nothing about the client.
void PasswordService::note(const Check& check, Decision& decision) {
  if (decision.is_valid || decision.is_guess) standings_.note(check.source, decision.is_valid);
  if (decision.is_valid) {
    pair_standings_.note(check.pair, true);
    return lockouts_.succeeded(check.pair);
  }
  if (!decision.is_guess) return;
  if (check.lockout.failures_max == 0) pair_standings_.note(check.pair, false);
  const auto time = lockouts_.failed(check.pair, check.lockout, check.now);
  if (time.count() > 0) {
    decision.text +=
        "; this CompID is locked out from this address for " + std::to_string(time.count()) + " s";
  }
  const AddressLockoutRule& rule = check.address_lockout;
  const auto address_time = address_lockouts_.failed(check.source, rule, check.now);
  if (address_time.count() == 0) return;
  decision.lockout = "address " + transport::name_of_source(check.address) + " is locked out for " +
                     std::to_string(address_time.count()) +
                     " s: " + std::to_string(rule.failures_max) +
                     " wrong passwords from there (MaxLogonFailuresPerAddress)";
}

void PasswordService::deliver(std::uint32_t loop, Decision decision) {
  const auto found = loops_.find(loop);
  if (found == loops_.end()) return;
  found->second.decisions.push_back(std::move(decision));
  has_decisions_.store(true, std::memory_order_relaxed);
  found->second.network->wake();
}

std::string_view PasswordService::new_password_error(std::string_view password) const noexcept {
  return password_error(password);
}

// Each failed check costs the same: one read of the file and one hash.
PasswordService::Decision PasswordService::examine(Check& check) {
  Decision decision;
  const PasswordFile* const file = read(check.file, decision.trouble);
  const std::string user = "user " + check.username.substr(0, config::kUsernameBytesMax);
  if (file == nullptr) {
    decision.text = user + ": there is nothing to check the password with";
    return decision;
  }
  const std::string* const entry = check.is_users_session ? file->find(check.username) : nullptr;
  const std::string& hash = entry != nullptr ? *entry : file->costliest();
  const PasswordMatch match = match_password(hash, check.password.view());
  decision.is_guess = entry == nullptr || match == PasswordMatch::Wrong;
  if (entry == nullptr) {
    decision.text =
        user +
        (check.is_users_session ? ": unknown" : ": not one of this session's (AllowedUsernames)");
  } else if (match == PasswordMatch::Unknown) {
    decision.text = user + ": there was no memory to check the password in";
  } else if (match == PasswordMatch::Wrong) {
    decision.text = user + ": wrong password";
  } else if (check.new_password.empty()) {
    decision.is_valid = true;
    decision.text = user + " has given the right password";
  } else {
    // The change waits until the Logon is accepted: a refused Logon changes nothing.
    decision.is_valid = true;
    decision.text = user + " has given the right password and a new one";
    decision.change = std::make_unique<PasswordChange>(check.file, check.username, hash,
                                                       std::move(check.new_password));
  }
  return decision;
}

// Reads the file again for each Logon, so that a removed user is refused at once. If the file is
// invalid now, its last valid version counts.
const PasswordFile* PasswordService::read(const std::string& path, std::string& trouble) {
  auto fresh = PasswordFile::load(disk_, path);
  if (fresh) return &files_.insert_or_assign(path, std::move(*fresh)).first->second;
  trouble = "PasswordFile: " + fresh.error().what();
  const auto known = files_.find(path);
  return known == files_.end() ? nullptr : &known->second;
}

// True: the change is durable. An entry that has changed since the check of the password stays as
// it is.
bool PasswordService::replace(const PasswordChange& change, std::string& trouble) {
  const auto file = PasswordFile::load(disk_, change.file);
  if (!file) {
    trouble = "PasswordFile: " + file.error().what();
    return false;
  }
  const auto hash = hash_password(change.new_password.view(), file->cost_of(change.username));
  if (!hash) {
    trouble = hash.error();
    return false;
  }
  bool is_same = false;
  const auto changed = change_password_file(disk_, change.file, false, [&](PasswordFile& users) {
    const std::string* const entry = users.find(change.username);
    is_same = entry != nullptr && *entry == change.hash;
    if (is_same) users.set(change.username, *hash);
    return is_same;
  });
  if (!changed) {
    trouble = "PasswordFile: " + changed.error().what();
  } else if (!is_same) {
    trouble = "PasswordFile: the entry of user " + change.username +
              " has changed since its password was checked";
  }
  return changed && *changed;
}

namespace {

std::shared_ptr<Credentials> make_service(Disk& disk, std::shared_ptr<Disk> owner,
                                          std::size_t waiting_max) {
  return PasswordService::make(disk, std::move(owner), waiting_max);
}

std::expected<void, std::string> check_file(Disk& disk, const std::string& path) {
  if (!has_passwords()) {
    return std::unexpected{"this program was built without passwords (NEXUSFIX_PASSWORDS=OFF)"};
  }
  if (const auto read = PasswordFile::load(disk, path); !read) {
    return std::unexpected{read.error().what()};
  }
  return {};
}

}  // namespace

const PasswordPart* password_part() noexcept {
  static constexpr PasswordPart kPart{.make_service = make_service, .check_file = check_file};
  return &kPart;
}

}  // namespace nexusfix::engine
