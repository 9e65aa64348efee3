// Asks etcd 3.4 or later by its JSON gateway, as one of its users if it has them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::cluster {

class EtcdHttp;

struct EtcdError {
  std::string text;  // one line
  // etcd has refused the request; false: whether it was done is not known.
  bool is_answered = false;
  bool is_token_over = false;  // refused for its token: the user must sign in again
};
template <class T>
using EtcdResult = std::expected<T, EtcdError>;

using LeaseId = std::int64_t;

// A key with its value, at one revision.
struct EtcdKey {
  std::string key;
  std::string value;
  std::uint64_t created = 0;  // the revision at which it was created
  LeaseId lease = 0;          // 0: none
};

// All keys that begin with a prefix.
struct EtcdRange {
  std::uint64_t revision = 0;  // of etcd at that moment
  std::vector<EtcdKey> keys;   // in their order
};

// A change that is done if the conditions hold.
struct EtcdChange {
  // A key that must have been created at this revision; 0: there must be none.
  struct Condition {
    std::string key;
    std::uint64_t created = 0;
  };
  struct Put {
    std::string key;
    std::string value;
    LeaseId lease = 0;  // 0: none
  };
  std::vector<Condition> conditions{};
  std::vector<Put> puts{};
  std::vector<std::string> deletions{};  // keys
};
struct EtcdChanged {
  bool is_done = false;        // false: a condition does not hold
  std::uint64_t revision = 0;  // of the change, if it is done
};

// How far a clock of this machine is from that of a member: by this much at least, whatever the
// network and the seconds of HTTP may hide. Above 0: our clock is later.
struct ClockDifference {
  std::string member;
  std::chrono::seconds least{0};
};
// date: as HTTP writes it. asked, answered: by our clock. No value: date is none.
[[nodiscard]] std::optional<std::chrono::seconds> clock_difference(const std::string& date,
                                                                   WallTime asked,
                                                                   WallTime answered);

// One thread at a time. Each call blocks at most for the time-out of each member, but for the name
// service.
class EtcdClient {
 public:
  // Reads the files of certificates when it connects first.
  explicit EtcdClient(const config::ClusterSettings& settings);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  [[nodiscard]] EtcdResult<LeaseId> grant(std::chrono::seconds time_to_live);
  // False: the lease has ended.
  [[nodiscard]] EtcdResult<bool> renew(LeaseId lease);
  // Deletes the keys of the lease.
  [[nodiscard]] EtcdResult<void> revoke(LeaseId lease);
  // Until it ends, if it is not renewed. 0: it has ended.
  [[nodiscard]] EtcdResult<std::chrono::seconds> time_left(LeaseId lease);
  // What all members have agreed on.
  [[nodiscard]] EtcdResult<EtcdRange> read(std::string_view prefix);
  // Several ranges at one revision; they are joined.
  [[nodiscard]] EtcdResult<EtcdRange> read(const std::vector<std::string>& prefixes);
  [[nodiscard]] EtcdResult<EtcdChanged> change(const EtcdChange& wanted);

  // The difference of the member that has answered last.
  [[nodiscard]] const ClockDifference& clock_difference() const noexcept { return difference_; }
  // "etcd-a:2379,etcd-b:2379"
  [[nodiscard]] std::string members() const;

 private:
  // A JSON text to a path; the answer, of a member that answers.
  [[nodiscard]] EtcdResult<std::string> post(std::string_view path, const std::string& body);
  [[nodiscard]] EtcdResult<std::string> post_with_token(std::string_view path,
                                                        const std::string& body);
  [[nodiscard]] EtcdResult<void> sign_in();

  std::vector<config::EtcdEndpoint> endpoints_;
  std::string user_;  // empty: etcd has no users
  std::string password_;
  std::string token_;     // of the user; empty: it has not signed in
  std::size_t last_ = 0;  // the member that has answered
  std::unique_ptr<EtcdHttp> http_;
  SystemClock clock_;
  ClockDifference difference_;
};

}  // namespace nexusfix::cluster
