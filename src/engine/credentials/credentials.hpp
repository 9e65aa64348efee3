// Passwords of Logons, checked where no event loop waits for it.
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
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/secret.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/password_file.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/credentials/lockouts.hpp"
#include "engine/credentials/logon_reputation.hpp"
#include "engine/credentials/password_change.hpp"

namespace nexusfix::engine {

// Of all event loops. A password takes its hash's time, the same for a user who is not there: one
// thread goes through them, and each loop is told. Sources whose last password was right have their
// turn first, then those that nothing is known of, then those whose last one was wrong; of these
// one after the other, whatever many Logons each of them has sent. Each fourth turn is for all of
// them alike, so that nobody waits for ever. On a disk that takes no threads
// (a simulator's) the loop itself does it. All functions: any thread.
class Credentials {
 public:
  struct Check {
    std::uint32_t loop = 0;
    transport::SocketId socket = 0;
    std::string file{};             // PasswordFile
    std::string username{};         // 553
    Secret password{};              // 554
    Secret new_password{};          // 925; empty: none
    bool is_users_session = false;  // false: it fails, whatever the password
    std::string pair{};             // CompID and source, for lock-outs
    transport::Source source = 0;   // whose share of the queue it is
    std::string address{};          // of the source, for events
    LockoutRule lockout{};
    AddressLockoutRule address_lockout{};
    MonoTime now{};
  };
  struct Verdict {
    transport::SocketId socket = 0;
    bool is_right = false;
    bool is_guess = false;   // the user or the password is wrong
    bool is_change = false;  // of a PasswordChange; is_right: it is in the file, durably
    std::unique_ptr<PasswordChange> change{};  // the Logon asks for it, and its password is right
    std::string text{};                        // for the event; never a password
    std::string trouble{};                     // of the file, beside all that; empty: none
    std::string lockout{};  // of an address from now on, beside all that; empty: none
  };
  struct Change {
    std::uint32_t loop = 0;
    transport::SocketId socket = 0;
    PasswordChange password{};
  };

  // waiting_max: of Logons that wait for their turn, or are being checked. When there are so many,
  // one more takes the place of the last one of the source of the worst standing that has most,
  // unless that would only turn them round.
  Credentials(Disk& disk, std::size_t waiting_max);
  ~Credentials();  // waits for a check that is being made
  // One whose end waits for no file: its thread, if that is stuck in one, is left alone with owner,
  // which keeps disk alive. null: disk is the caller's, and the end waits.
  [[nodiscard]] static std::shared_ptr<Credentials> make(Disk& disk, std::shared_ptr<Disk> owner,
                                                         std::size_t waiting_max);
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  void add_loop(std::uint32_t loop, transport::Network& network);
  // It is told nothing any more.
  void remove_loop(std::uint32_t loop);

  // Nothing: a verdict will come. Otherwise why there is none: it is locked out, is being checked
  // already, or too many wait.
  [[nodiscard]] std::optional<std::string> submit(Check check);
  // A verdict will come. What is asked for by somebody with the right password waits for no check.
  void submit(Change change);
  // What has come for a loop. One atomic load if there is nothing.
  [[nodiscard]] std::vector<Verdict> take(std::uint32_t loop);

 private:
  struct Loop {
    transport::Network* network = nullptr;
    std::vector<Verdict> verdicts;
  };

  using Queues = std::map<transport::Source, std::deque<Check>>;  // none of them is empty

  // Of a queue: the heaviest one gives up a place.
  [[nodiscard]] std::pair<Standing, std::size_t> weight_of(const Queues::value_type& entry) const;
  void run();
  // No check is begun any more.
  void end() noexcept;
  void finish(Check& check);
  void finish(Change& change);
  // Under the mutex, as the next five.
  [[nodiscard]] std::string lockout_of(const Check& check) const;
  void note(const Check& check, Verdict& verdict);
  [[nodiscard]] bool make_room(transport::Source source);
  void wait_in_line(Check check);
  [[nodiscard]] Check next_in_line();
  void tell(std::uint32_t loop, Verdict verdict);
  // On the thread that checks alone.
  [[nodiscard]] Verdict examine(Check& check);
  [[nodiscard]] const PasswordFile* read(const std::string& path, std::string& trouble);
  [[nodiscard]] bool replace(const PasswordChange& change, std::string& trouble);

  Disk& disk_;
  const std::size_t waiting_max_;
  std::map<std::string, PasswordFile, std::less<>> files_;  // as they were right last

  std::mutex mutex_;
  std::condition_variable has_work_;
  Queues waiting_;
  std::deque<Change> changes_;
  unsigned turns_ = 0;
  // Who had the last turn of those that go by standing, and of those that do not.
  transport::Source served_ = 0;
  transport::Source served_of_all_ = 0;
  std::set<std::string, std::less<>> pairs_;  // of those that wait or are being checked
  Lockouts lockouts_;
  AddressLockouts address_lockouts_;
  LogonReputation standings_;
  PairStandings pair_standings_;
  std::map<std::uint32_t, Loop> loops_;
  std::atomic<bool> has_verdicts_{false};
  std::shared_ptr<Disk> owner_;  // of disk_; may be null
  bool is_ending_ = false;
  std::thread thread_;  // the last, because it uses all of the above
};

}  // namespace nexusfix::engine
