#include "stream/sinks/http_sink.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "base/api/ascii.hpp"
#include "stream/otlp/order_spans.hpp"
#include "stream/otlp/otlp_json.hpp"
#include "stream/sinks/back_off.hpp"
#include "stream/sinks/line_window.hpp"
#include "stream/sinks/posting_thread.hpp"

namespace nexusfix::stream {
namespace {

using Result = std::expected<void, std::string>;
using Failed = std::unexpected<std::string>;
using Acknowledged = FunctionRef<void(std::uint64_t id)>;

constexpr std::size_t kBodyBytesMax = 1U << 20U;  // unless one line is longer
constexpr std::size_t kTokenBytesMax = 16U << 10U;

LineWindow make_window(HttpBody body, const LineOptions& options) {
  if (body == HttpBody::Lines) return LineWindow{options.is_object};
  const auto spans = std::make_shared<OrderSpans>();
  return LineWindow{
      [spans](std::string& to, const Outgoing& record) { spans->append(to, record); }};
}

class HttpSink final : public Broker {
 public:
  HttpSink(const HttpSettings& settings, const LineOptions& options)
      : settings_{settings},
        limits_{options.batch},
        lines_max_{options.batch.lines},
        window_{make_window(settings.body, options)},
        thread_{settings.address, settings.tls} {}
  std::expected<Sent, std::string> send(const Outgoing& record) override {
    if (window_.empty()) first_ = now();
    return window_.add(record) ? Sent::Queued : Sent::Full;
  }
  Result serve(std::chrono::milliseconds wait, Acknowledged acknowledged) override;
  std::string fault() const override { return fault_; }
  std::string_view name() const noexcept override {
    return settings_.body == HttpBody::Spans ? "the collector" : "the HTTP server";
  }
  void finish() override { is_finishing_ = true; }

 private:
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }
  void post_if_due();
  [[nodiscard]] Result see(const PostingThread::Answer& answer, Acknowledged acknowledged);
  void fail(std::string why, std::chrono::seconds at_least = {}) {
    fault_ = std::move(why);
    back_off_.fail(now(), at_least);
  }

  HttpSettings settings_;
  BatchLimits limits_;
  std::size_t lines_max_;  // less after 413
  LineWindow window_;
  SystemClock clock_;
  BackOff back_off_;
  std::size_t batch_ = 0;  // lines that were posted and are not answered
  std::string token_;
  MonoTime first_;  // when the first line of the next batch came
  MonoTime posted_;
  std::string fault_;
  bool is_finishing_ = false;
  PostingThread thread_;
};

void HttpSink::post_if_due() {
  if (batch_ > 0 || window_.empty() || !back_off_.is_over(now())) return;
  const bool is_due = is_finishing_ || !fault_.empty() || window_.size() >= lines_max_ ||
                      now() - first_ >= limits_.wait;
  if (!is_due) return;
  const bool are_spans = settings_.body == HttpBody::Spans;
  PostingThread::Request request{
      .fields = {{"Content-Type", are_spans ? "application/json" : "application/x-ndjson"},
                 {"User-Agent", "nexusfix-stream"}},
      .body = {}};
  if (are_spans) request.body = otlp_head({}, "Spans", "spans");
  if (!settings_.token_file.empty()) {
    auto token = read_token(*settings_.disk, settings_.token_file);
    if (!token) return fail(token.error());
    token_ = std::move(*token);
    request.fields.emplace_back("Authorization", "Bearer " + token_);
  }
  const std::size_t most = std::min(window_.size(), lines_max_);
  while (batch_ < most) {
    const std::string& text = window_[batch_].text;
    if (batch_ > 0 && request.body.size() + text.size() > kBodyBytesMax) break;
    if (are_spans && batch_ > 0 && !text.empty()) request.body += ',';
    request.body += text;
    ++batch_;
  }
  if (are_spans) request.body += kOtlpTail;
  request.fields.emplace_back("Idempotency-Key",
                              fmt::format("\"{}..{}\"", window_[0].id, window_[batch_ - 1].id));
  posted_ = now();
  thread_.post(std::move(request));
}

Result HttpSink::see(const PostingThread::Answer& answer, Acknowledged acknowledged) {
  const std::size_t count = std::exchange(batch_, 0);
  if (!answer) {
    fail(answer.error().text);
    return {};
  }
  const std::string text =
      http::one_line(without_token(fmt::format("HTTP {} {}{}{}", answer->status, answer->reason,
                                               answer->body.empty() ? "" : ": ", answer->body),
                                   token_));
  switch (judge(answer->status)) {
    case Verdict::Taken:
      if (settings_.body == HttpBody::Spans && read_partial_success(answer->body).rejected > 0) {
        break;
      }
      for (std::size_t i = 0; i < count; ++i) acknowledged(window_.pop());
      first_ = now();
      fault_.clear();
      back_off_.succeed();
      return {};
    case Verdict::Smaller:
      if (count > 1) {
        lines_max_ = count / 2;
        fail(fmt::format("{} (a batch of {} messages: the next one has {})", text, count,
                         lines_max_));
        return {};
      }
      break;
    case Verdict::Later:
      fail(text, answer->retry_after);
      return {};
    case Verdict::Refused:
      break;
  }
  return Failed{
      fmt::format("{} (a batch of {} messages from id {} on)", text, count, window_[0].id)};
}

Result HttpSink::serve(std::chrono::milliseconds wait, Acknowledged acknowledged) {
  while (batch_ == 0 && !window_.empty() && window_[0].text.empty()) acknowledged(window_.pop());
  post_if_due();
  if (auto answer = thread_.await(wait)) return see(*answer, acknowledged);
  if (batch_ > 0 && fault_.empty() && now() - posted_ > kSilenceMax) {
    fault_ = "no answer for 10 s";
  }
  return {};
}

}  // namespace

std::expected<std::string, std::string> read_token(Disk& disk, const std::string& path) {
  const auto is_private = disk.is_private(path);
  if (!is_private) return Failed{is_private.error().what()};
  if (!*is_private) {
    return Failed{path + " has a secret, and others may read the file: chmod 600 " + path};
  }
  const auto file = disk.open(path, OpenMode::ReadRegular);
  if (!file) return Failed{file.error().what()};
  std::string text(kTokenBytesMax, '\0');
  const auto got = (*file)->read_at(0, text);
  if (!got) return Failed{got.error().what()};
  text.resize(*got);
  std::string token{trimmed(text)};
  if (token.ends_with('\n')) token = trimmed(std::string_view{token}.substr(0, token.size() - 1));
  const auto is_bad = [](char c) { return c <= ' ' || c > '~'; };
  if (token.empty() || *got == kTokenBytesMax || std::ranges::any_of(token, is_bad)) {
    return Failed{path + ": one token of printable characters was expected"};
  }
  return token;
}

std::string without_token(std::string text, const std::string& token) {
  if (token.empty()) return text;
  for (std::size_t at = text.find(token); at != text.npos; at = text.find(token)) {
    text.replace(at, token.size(), "***");
  }
  return text;
}

Verdict judge(unsigned status) noexcept {
  constexpr unsigned kContentTooLarge = 413;
  if (status >= 200 && status < 300) return Verdict::Taken;
  if (status == kContentTooLarge) return Verdict::Smaller;
  if (status >= 500 && status < 600) return Verdict::Later;
  for (const unsigned one : {401U, 403U, 408U, 425U, 429U}) {
    if (status == one) return Verdict::Later;
  }
  return Verdict::Refused;
}

std::unique_ptr<Broker> open_http(const HttpSettings& settings, const LineOptions& options) {
  return std::make_unique<HttpSink>(settings, options);
}

}  // namespace nexusfix::stream
