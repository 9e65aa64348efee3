#include "stream/otlp/otlp_sender.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "stream/sinks/http_sink.hpp"

namespace nexusfix::stream {
namespace {

// OTLP Specification, "OTLP/HTTP Response": no other answer may be followed by another attempt.
bool is_retryable(unsigned status) noexcept {
  for (const unsigned one : {429U, 502U, 503U, 504U}) {
    if (status == one) return true;
  }
  return false;
}

}  // namespace

OtlpSender::OtlpSender(const OtlpTarget& target, const OtlpResource& resource,
                       std::string_view signal, std::string_view items)
    : target_{target},
      head_{otlp_head(resource, signal, items)},
      thread_{target.address, target.tls} {}

void OtlpSender::drop_waiting_front() {
  dropped_ += waiting_.front().count;
  waiting_bytes_ -= waiting_.front().text.size();
  waiting_.pop_front();
}

void OtlpSender::add(Item item) {
  waiting_bytes_ += item.text.size();
  waiting_.push_back(std::move(item));
  while (waiting_.size() > 1 && (waiting_.size() > kItemsMax || waiting_bytes_ > kBytesMax)) {
    drop_waiting_front();
  }
}

void OtlpSender::replace(std::vector<Item> items) {
  while (!waiting_.empty()) drop_waiting_front();
  for (Item& one : items) add(std::move(one));
}

void OtlpSender::fill_request() {
  request_ = head_;
  for (std::size_t i = 0; i < kRequestItemsMax && !waiting_.empty(); ++i) {
    const Item& next = waiting_.front();
    if (i > 0 && request_.size() + next.text.size() > kRequestBytesMax) break;
    if (i > 0) request_ += ',';
    request_ += next.text;
    request_count_ += next.count;
    waiting_bytes_ -= next.text.size();
    waiting_.pop_front();
  }
  request_ += kOtlpTail;
}

void OtlpSender::post() {
  if (is_posted_ || is_idle() || !back_off_.is_over(now())) return;
  if (request_.empty()) fill_request();
  PostingThread::Request request{
      .fields = {{"Content-Type", "application/json"}, {"User-Agent", "nexusfix-otlp"}},
      .body = request_};
  if (!target_.token_file.empty()) {
    auto token = read_token(*target_.disk, target_.token_file);
    if (!token) {
      fault_ = token.error();
      back_off_.fail(now());
      return;
    }
    token_ = std::move(*token);
    request.fields.emplace_back("Authorization", "Bearer " + token_);
  }
  is_posted_ = true;
  thread_.post(std::move(request));
}

void OtlpSender::end_request(std::uint64_t dropped) {
  dropped_ += dropped;
  request_.clear();
  request_count_ = 0;
}

void OtlpSender::see(const PostingThread::Answer& answer) {
  is_posted_ = false;
  if (!answer) {
    fault_ = answer.error().text;
    back_off_.fail(now());
    return;
  }
  if (answer->status < 300) {
    const PartialSuccess partial = read_partial_success(answer->body);
    const std::uint64_t rejected = std::min(partial.rejected, request_count_);
    fault_ =
        rejected == 0
            ? std::string{}
            : http::one_line(without_token(fmt::format("it has rejected {} of {}: {}", rejected,
                                                       request_count_, partial.message),
                                           token_));
    back_off_.succeed();
    end_request(rejected);
    return;
  }
  fault_ =
      http::one_line(without_token(fmt::format("HTTP {} {}{}{}", answer->status, answer->reason,
                                               answer->body.empty() ? "" : ": ", answer->body),
                                   token_));
  back_off_.fail(now(), answer->retry_after);
  if (!is_retryable(answer->status)) end_request(request_count_);
}

void OtlpSender::serve(std::chrono::milliseconds wait) {
  post();
  if (auto answer = thread_.await(wait)) see(*answer);
}

}  // namespace nexusfix::stream
