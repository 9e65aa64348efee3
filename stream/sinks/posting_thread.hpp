// Posts one request at a time to an HTTP server, so that the stream does not wait for the answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/http_client.hpp"

namespace nexusfix::stream {

// The methods are for one thread.
class PostingThread {
 public:
  struct Request {
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;
  };
  using Answer = http::Result;

  PostingThread(http::Address address, http::TlsFiles files);
  // A request that waits for its answer is cancelled.
  ~PostingThread();
  PostingThread(const PostingThread&) = delete;
  PostingThread& operator=(const PostingThread&) = delete;

  // The request before must be answered.
  void post(Request request);
  // The answer, when it comes within this time. Without a request it is a pause.
  [[nodiscard]] std::optional<Answer> await(std::chrono::milliseconds wait);

 private:
  void run();

  http::Client client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Request> request_;  // is not taken yet
  std::optional<Answer> answer_;    // is not read yet
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace nexusfix::stream
