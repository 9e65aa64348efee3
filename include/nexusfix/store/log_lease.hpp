// A lease that decides which process may take a log over: of a cluster, whose nodes share it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store {

// To which cluster a log belongs, and as which of its shards.
struct ClusterMark {
  std::string cluster{};  // the identity of the cluster
  std::string shard{};    // the name of the shard
  // The highest fencing token with which the log was claimed. 0: there was none, or it is not
  // known.
  std::uint64_t token = 0;
};

// Any thread. It only decides when a process takes the log; that a former owner writes nothing more
// is certain by the log's owner epoch, which begins with the fencing token.
class LogLease {
 public:
  // It outlives the store that uses it.
  virtual ~LogLease() = default;
  // The mark that the log must have, without a token.
  [[nodiscard]] virtual ClusterMark mark() const = 0;
  // The fencing token, while this process holds the lease: each one is higher than all before. 0:
  // it does not hold it.
  [[nodiscard]] virtual std::uint64_t token() const noexcept = 0;
  // The store is connected, has the whole log, and could take it over now: the lease is wanted.
  // Several times a second until it holds the lease. claimed: the token with which the log was last
  // claimed, read before the call; only a token above it takes the log. Returns token(). The error:
  // why this process will never get it.
  [[nodiscard]] virtual std::expected<std::uint64_t, std::string> ask(std::uint64_t claimed) = 0;
  // The log was claimed with token().
  virtual void on_claimed() noexcept = 0;
};

}  // namespace nexusfix::store
