// Sends one signal to a collector by OTLP/HTTP, by its rules of answers and attempts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "http/http_client.hpp"
#include "stream/otlp/otlp_json.hpp"
#include "stream/sinks/back_off.hpp"
#include "stream/sinks/posting_thread.hpp"

namespace nexusfix::stream {

struct OtlpTarget {
  http::Address address;  // with the path of the signal
  http::TlsFiles tls;
  std::string token_file;  // path; empty: none. It is read before each request
  Disk* disk = nullptr;    // outlives the sender
};

// One thread, which never waits: another one posts. What waits is bounded, and what is dropped is
// counted.
class OtlpSender {
 public:
  static constexpr std::size_t kItemsMax = 20'000;
  static constexpr std::size_t kBytesMax = 16U << 20U;
  static constexpr std::size_t kRequestItemsMax = 1'000;
  static constexpr std::size_t kRequestBytesMax = 1U << 20U;  // unless one item is longer

  struct Item {
    std::string text{};       // JSON
    std::uint64_t count = 1;  // data points or log records
  };

  // signal, items: as otlp_head() has them.
  OtlpSender(const OtlpTarget& target, const OtlpResource& resource, std::string_view signal,
             std::string_view items);
  // Drops the oldest items when too much waits.
  void add(Item item);
  // In the place of all that waits, which is dropped: newer values make it worthless.
  void replace(std::vector<Item> items);
  // Sees the answer, and posts what is due. wait: for the answer; a pause if none is awaited.
  void serve(std::chrono::milliseconds wait);

  // Whether all has been sent, or dropped.
  [[nodiscard]] bool is_idle() const noexcept { return request_.empty() && waiting_.empty(); }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  // Why the collector does not take what it gets, one line; empty: it does, as far as is known.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  void fill_request();
  void post();
  void see(const PostingThread::Answer& answer);
  void drop_waiting_front();
  void end_request(std::uint64_t dropped);
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }

  OtlpTarget target_;
  std::string head_;
  SystemClock clock_;
  BackOff back_off_;
  std::deque<Item> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::string request_;  // is posted until the collector has answered for good; empty: none
  std::uint64_t request_count_ = 0;
  bool is_posted_ = false;
  std::string token_;
  std::string fault_;
  std::uint64_t dropped_ = 0;
  PostingThread thread_;
};

}  // namespace nexusfix::stream
