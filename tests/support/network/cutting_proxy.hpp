// A proxy between a client and a server on a Unix socket: passes bytes on, and cuts connections
// after a given number of bytes in either direction.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "support/disks/temporary_folder.hpp"

namespace nexusfix::testing {

class CuttingProxy {
 public:
  explicit CuttingProxy(std::string server_socket);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // The folder of its socket, named like the server's.
  [[nodiscard]] std::string host() const { return folder_.path(); }

  // Cuts every connection after this number of further bytes; once.
  void cut_after_to_server(std::uint64_t bytes);
  void cut_after_to_client(std::uint64_t bytes);
  // Cancels cuts that have not happened.
  void cancel_cuts();
  void cut_now();
  // Cuts every connection on the client's side; the server does not notice.
  void orphan();
  // New connections are closed at once.
  void refuse(bool refuses);
  // New connections are passed on to this server.
  void forward_to(std::string server_socket);
  // Nothing is passed on any more; no side is notified.
  void stall(bool stalls);
  [[nodiscard]] std::uint64_t cuts() const noexcept { return cuts_.load(); }
  [[nodiscard]] std::uint64_t bytes_to_server() const noexcept { return to_server_.load(); }
  [[nodiscard]] std::uint64_t bytes_to_client() const noexcept { return to_client_.load(); }
  // Returns after this number of cuts, or of refused connections.
  void wait_for_cuts(std::uint64_t count) const;
  void wait_for_refusals(std::uint64_t count) const;
  [[nodiscard]] std::uint64_t refusals() const noexcept { return refusals_.load(); }

 private:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  struct Pair {
    int client = -1;
    int server = -1;
  };

  void run();
  void accept_one();
  // False: the connection is over, or all are to be cut.
  bool pass(int from, int to, std::uint64_t& rest, std::atomic<std::uint64_t>& count);
  void cut_all();
  void orphan_all();
  void wake();

  TemporaryFolder folder_;
  std::string server_socket_;
  int listener_ = -1;
  int wake_ = -1;
  std::mutex mutex_;
  std::list<Pair> pairs_;
  std::list<int> orphans_;  // the server's sides
  std::uint64_t rest_to_server_ = kNoLimit;
  std::uint64_t rest_to_client_ = kNoLimit;
  bool cuts_now_ = false;
  bool orphans_now_ = false;
  bool refuses_ = false;
  bool stalls_ = false;
  bool ends_ = false;
  std::atomic<std::uint64_t> cuts_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<std::uint64_t> to_server_{0};
  std::atomic<std::uint64_t> to_client_{0};
  std::thread thread_;
};

}  // namespace nexusfix::testing
