#include "logs/order/order.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "logs/order/order_report.hpp"
#include "logs/order/order_stories.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using logs::OrderStory;

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
        stories_{options.id} {
    if (request_.files.empty()) request_.files.emplace_back("-");
    request_.is_merged = request_.files.size() > 1;
  }

  int run() {
    const auto own = own_dictionary(disk_, options_.dictionary);
    if (!own) return complain(own.error(), kUsage);
    if (!keep_input()) return is_interrupted() ? kFailure : kUsage;
    if (const int status = read_until_all_are_known(); status != kSuccess) return status;
    std::vector<OrderStory> found = stories_.finish();
    if (found.empty())
      return complain(fmt::format("no order has the identifier {}", printable(options_.id)),
                      kFailure);
    std::optional<dictionary::LoadedNames> names;
    dictionary::NameTable table;
    if (*own != nullptr) table = names.emplace(**own).table();
    const bool agrees = print(found, *own == nullptr ? nullptr : &table);
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
    bool is_first = true;
    do {
      stories_.begin_pass();
      const auto each = [&](const logs::LogMessage& message) {
        stories_.take(message);
        return logs::AfterMessage::Continue;
      };
      const auto failed = [&](std::string_view error) {
        if (is_first || is_interrupted()) complain(printable(error), kFailure);
      };
      const logs::LogReport report = logs::read_logs(disk_, request_, {each, [] {}, failed});
      if (report.has_unopened()) return kUsage;
      has_unread_ = report.has_unread();
      if (is_interrupted()) return kFailure;
      is_first = false;
    } while (stories_.needs_another_pass());
    if (stories_.is_full()) {
      complain("the order has more messages than fit: the later ones are left out", kFailure);
      has_unread_ = true;
    }
    return kSuccess;
  }

  // False: a report disagrees.
  bool print(const std::vector<OrderStory>& stories, const dictionary::NameTable* names) {
    bool agrees = true;
    bool is_first = true;
    Json all = Json::array();
    for (const OrderStory& story : stories) {
      for (const logs::OrderEvent& event : story.events) {
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
  logs::OrderStories stories_;
  TemporaryFile input_;
  bool has_unread_ = false;
};

}  // namespace

int order_files(const OrderOptions& options, Disk& disk, OrderStreams streams) {
  return OrderRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
