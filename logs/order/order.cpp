#include "logs/order/order.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "logs/messages/find_bytes.hpp"
#include "logs/order/order_chain.hpp"
#include "logs/order/order_report.hpp"
#include "logs/source/log_time.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using logs::LinkedOrder;
using logs::OrderEvent;
using logs::OrderStory;

// An order with more messages than these is shown without the later ones.
constexpr std::size_t kEventsMax = 100'000;
constexpr std::size_t kEventBytesMax = 64U << 20U;
constexpr int kPassesMax = 100;

// By session, then by time.
struct ComesBefore {
  bool operator()(const LinkedOrder* a, const LinkedOrder* b) const noexcept {
    return std::tie(a->session, a->number) < std::tie(b->session, b->number);
  }
};

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

class OrderRun {
 public:
  OrderRun(const OrderOptions& options, Disk& disk, OrderStreams streams)
      : options_{options},
        disk_{disk},
        streams_{streams},
        request_{options.input},
        chains_{options.id} {
    if (request_.files.empty()) request_.files.emplace_back("-");
    request_.is_merged = request_.files.size() > 1;
  }

  int run() {
    const auto own = own_dictionary(disk_, options_.dictionary);
    if (!own) return complain(own.error(), kUsage);
    if (!keep_input()) return is_interrupted() ? kFailure : kUsage;
    if (const int status = read_until_all_are_known(); status != kSuccess) return status;
    if (stories_.empty())
      return complain(fmt::format("no order has the identifier {}", printable(options_.id)),
                      kFailure);
    std::optional<dictionary::LoadedNames> names;
    dictionary::NameTable table;
    if (*own != nullptr) table = names.emplace(**own).table();
    const bool agrees = print(*own == nullptr ? nullptr : &table);
    return agrees && !has_unread_ ? kSuccess : kFailure;
  }

 private:
  int complain(std::string_view text, int status) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix order: {}\n", text);
    return status;
  }

  // Standard input can be read only once: a temporary file without a name has it.
  bool keep_input() {
    for (std::string& path : request_.files) {
      if (path != "-") continue;
      input_.reset(std::tmpfile());
      auto opened = disk_.open("/dev/stdin", OpenMode::Read);
      if (input_ == nullptr || !opened) {
        complain(opened ? "no temporary file can be created" : opened.error().what(), kUsage);
        return false;
      }
      const logs::Source input = logs::input_source(std::move(*opened));
      std::vector<char> chunk(1U << 20U);
      for (;;) {
        const auto got = input->read(chunk);
        if (!got || (*got > 0 && std::fwrite(chunk.data(), 1, *got, input_.get()) != *got)) {
          complain(got ? "standard input does not fit into a temporary file"
                       : "standard input: " + got.error(),
                   kFailure);
          return false;
        }
        if (*got == 0) break;
      }
      std::fflush(input_.get());
      path = fmt::format("/proc/self/fd/{}", ::fileno(input_.get()));
    }
    return true;
  }

  int read_until_all_are_known() {
    for (int pass = 0; pass < kPassesMax; ++pass) {
      stories_.clear();
      copies_.clear();
      chains_.begin_pass();
      event_bytes_ = 0;
      is_full_ = false;
      const auto each = [&](const logs::LogMessage& message) {
        take(message);
        return logs::AfterMessage::Continue;
      };
      const auto failed = [&](std::string_view error) {
        if (pass == 0 || is_interrupted()) complain(printable(error), kFailure);
      };
      const logs::LogReport report = logs::read_logs(disk_, request_, {each, [] {}, failed});
      if (report.has_unopened()) return kUsage;
      has_unread_ = report.has_unread();
      if (is_interrupted()) return kFailure;
      if (!chains_.has_grown()) break;
    }
    if (is_full_ || chains_.is_full()) {
      complain("the order has more messages than fit: the later ones are left out", kFailure);
      has_unread_ = true;
    }
    std::erase_if(stories_, [](const auto& story) {
      return !story.first->is_wanted || story.second.empty();
    });
    return kSuccess;
  }

  void take(const logs::LogMessage& message) {
    // Most messages are decided without their fields.
    fields_.read(message.bytes);
    const LinkedOrder* const order = chains_.take(fields_);
    if (order == nullptr) return;
    const auto time = logs::time_of_message(message);
    std::vector<OrderEvent>& events = stories_[order];
    const auto [copy, is_new] =
        copies_.try_emplace(std::string{message.bytes}, order, events.size());
    if (!is_new) {
      OrderEvent& event = stories_[copy->second.first][copy->second.second];
      if (event.file != message.path && !event.other_time) event.other_time = time;
      return;
    }
    event_bytes_ += 2 * message.bytes.size();
    if (events.size() == kEventsMax || event_bytes_ > kEventBytesMax) {
      is_full_ = true;
      copies_.erase(copy);
      return;
    }
    events.push_back({.time = time,
                      .file = std::string{message.path},
                      .offset = message.offset,
                      .sender = std::string{fields_.value(49)},
                      .target = std::string{fields_.value(56)},
                      .msg_type = std::string{fields_.value(35)},
                      .bytes = std::string{message.bytes}});
  }

  // False: a report disagrees.
  bool print(const dictionary::NameTable* names) {
    bool agrees = true;
    bool is_first = true;
    Json all = Json::array();
    for (auto& [order, events] : stories_) {
      OrderStory story{std::string{order->session}, std::move(events), {}};
      for (OrderEvent& event : story.events) {
        story.life.add(event);
        agrees = agrees && event.disagreements.empty();
      }
      if (options_.is_json) {
        all.push_back(logs::story_json(story, names));
      } else {
        fmt::print(streams_.out, "{}{}", is_first ? "" : "\n", logs::story_text(story, names));
      }
      is_first = false;
    }
    if (options_.is_json) {
      fmt::print(streams_.out, "{}",
                 Json::object({{"id", options_.id}, {"orders", std::move(all)}}).document());
    }
    return agrees;
  }

  const OrderOptions& options_;
  Disk& disk_;
  OrderStreams streams_;
  logs::LogRequest request_;
  logs::OrderChains chains_;
  logs::MessageFields fields_;
  TemporaryFile input_;
  std::map<const LinkedOrder*, std::vector<OrderEvent>, ComesBefore> stories_;
  // The places of messages, by their bytes: the logs of both sides have each one.
  std::unordered_map<std::string, std::pair<const LinkedOrder*, std::size_t>> copies_;
  std::size_t event_bytes_ = 0;
  bool has_unread_ = false;
  bool is_full_ = false;
};

}  // namespace

int order_files(const OrderOptions& options, Disk& disk, OrderStreams streams) {
  return OrderRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
