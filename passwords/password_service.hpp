// Checks passwords of Logons without making an event loop wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/transport/network.hpp>

#include "base/api/secret.hpp"
#include "config/api/logon_passwords.hpp"
#include "passwords/lockouts.hpp"

namespace nexusfix::engine {

// The standing of an address, or of a CompID with its address, by the last password in its Logons.
// The smaller value is the better standing.
enum class Standing : std::uint8_t { Trusted, Unknown, Failing };

template <class Source>
class StandingsOf {
 public:
  // At most this number of sources is kept. Beyond it, the source that came first is forgotten.
  // Each source has cost a hash, so a client needs hours to displace another one.
  static constexpr std::size_t kSourcesMax = 100'000;

  [[nodiscard]] Standing of(const Source& source) const {
    const auto found = standings_.find(source);
    return found == standings_.end() ? Standing::Unknown : found->second;
  }
  // The last checked password decides.
  void note(const Source& source, bool was_right) {
    const Standing standing = was_right ? Standing::Trusted : Standing::Failing;
    if (const auto found = standings_.find(source); found != standings_.end()) {
      found->second = standing;
      return;
    }
    if (order_.size() == kSourcesMax) {
      standings_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(source);
    standings_.emplace(source, standing);
  }
  [[nodiscard]] std::size_t size() const noexcept { return standings_.size(); }

 private:
  std::unordered_map<Source, Standing> standings_;
  std::deque<Source> order_;
};

using LogonReputation = StandingsOf<transport::Source>;
using PairStandings = StandingsOf<std::string>;

// A check takes the time of a hash, also for a user who does not exist. One thread makes all
// checks. Sources whose last password was right have their turn first, then unknown sources, then
// those whose last password was wrong. Sources of the same standing take turns, however many Logons
// each of them has sent. Each fourth turn ignores the standing, so that no source waits for ever.
// On a disk that takes no threads (a simulator's) the loop itself checks.
class PasswordService final : public Credentials {
 public:
  // waiting_max: the maximum number of Logons that wait or are being checked. Beyond it, a further
  // Logon displaces the last one of the source with the worst standing (of several, the one with
  // the most Logons), unless its own source would then be that source.
  PasswordService(Disk& disk, std::size_t waiting_max);
  ~PasswordService() override;  // waits for a check that is being made
  // Its destruction does not wait for a file: a thread that is stuck in one stays alive with owner,
  // which keeps disk alive. If owner is null, disk is the caller's, and the destruction waits.
  [[nodiscard]] static std::shared_ptr<PasswordService> make(Disk& disk,
                                                             std::shared_ptr<Disk> owner,
                                                             std::size_t waiting_max);
  void add_loop(std::uint32_t loop, transport::Network& network) override;
  void remove_loop(std::uint32_t loop) override;
  [[nodiscard]] std::optional<std::string> submit(Check check) override;
  void submit(Change change) override;
  [[nodiscard]] std::vector<Decision> take(std::uint32_t loop) override;
  [[nodiscard]] std::string_view new_password_error(
      std::string_view password) const noexcept override;

 private:
  struct Loop {
    transport::Network* network = nullptr;
    std::vector<Decision> decisions;
  };

  using Queues = std::map<transport::Source, std::deque<Check>>;  // none of them is empty

  // The weight of a queue: the heaviest queue loses a Logon.
  [[nodiscard]] std::pair<Standing, std::size_t> weight_of(const Queues::value_type& entry) const;
  void run();
  // No further check begins.
  void end() noexcept;
  void finish(Check& check);
  void finish(Change& change);
  // The caller holds the mutex. The same for the next five.
  [[nodiscard]] std::string lockout_of(const Check& check) const;
  void note(const Check& check, Decision& decision);
  [[nodiscard]] bool make_room(transport::Source source);
  void wait_in_line(Check check);
  [[nodiscard]] Check next_in_line();
  void deliver(std::uint32_t loop, Decision decision);
  // Only on the thread that checks.
  [[nodiscard]] Decision examine(Check& check);
  [[nodiscard]] const PasswordFile* read(const std::string& path, std::string& trouble);
  [[nodiscard]] bool replace(const PasswordChange& change, std::string& trouble);

  Disk& disk_;
  const std::size_t waiting_max_;
  std::map<std::string, PasswordFile, std::less<>> files_;  // the last valid version of each

  std::mutex mutex_;
  std::condition_variable has_work_;
  Queues waiting_;
  std::deque<Change> changes_;
  unsigned turns_ = 0;
  // The source of the last turn that followed the standing, and of the last one that ignored it.
  transport::Source served_ = 0;
  transport::Source served_of_all_ = 0;
  std::set<std::string, std::less<>> pairs_;  // of those that wait or are being checked
  Lockouts lockouts_;
  AddressLockouts address_lockouts_;
  LogonReputation standings_;
  PairStandings pair_standings_;
  std::map<std::uint32_t, Loop> loops_;
  std::atomic<bool> has_decisions_{false};
  std::shared_ptr<Disk> owner_;  // of disk_; may be null
  bool is_ending_ = false;
  std::thread thread_;  // the last, because it uses all of the above
};

}  // namespace nexusfix::engine
