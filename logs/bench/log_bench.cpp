#include "logs/bench/log_bench.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/timer.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/files/write_file.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

using command::counted;
using command::Json;
using command::MessageChecker;
using command::NamedDictionary;
using command::with_thousands;
using dictionary::Version;

std::uint64_t per_second(const LogFigures& figures) {
  constexpr double kNsPerSecond = 1e9;
  return static_cast<std::uint64_t>(kNsPerSecond / figures.ns);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class LogBench {
 public:
  LogBench(const command::BenchOfLog& request, Disk& disk, SampleLimits limits,
           BenchStreams streams)
      : request_{request}, disk_{disk}, limits_{limits}, streams_{streams} {}

  int run() {
    const bench::CoreSet& cores = bench::allowed_cores();
    const int core = request_.cpu.value_or(cores.empty() ? 0 : cores.back());
    if (!bench::run_on_cores({core})) {
      complain(fmt::format("core {} is not among the allowed cores", core));
      return command::kUsage;
    }
    machine_ = bench::describe_machine(core);
    read();
    if (sample_.has_unopened) return command::kUsage;
    if (sample_.messages.empty()) return no_message();
    if (!open_checker()) return command::kUsage;
    repairs_ = remove_garbled(sample_.messages, data_fields());
    if (sample_.messages.empty()) return no_message();
    shape_ = shape_of(sample_.messages, data_fields());
    measure();
    print();
    return write_json() && !sample_.has_unread ? command::kSuccess : command::kFailure;
  }

 private:
  void read() {
    LogRequest input;
    input.files = request_.files;
    sample_ = read_sample(disk_, input, limits_, [&](std::string_view error) { complain(error); });
  }
  int no_message() const {
    const std::uint64_t garbled = sample_.skipped + repairs_.garbled;
    complain(garbled > 0
                 ? counted(garbled, "message is", "messages are") + " garbled, none is valid"
                 : "no message: nothing begins with 8=FIX");
    return command::kFailure;
  }

  // Leaves the checker empty if no dictionary is of this version. False: a file cannot be used.
  bool open_checker() {
    std::optional<NamedDictionary> named;
    if (!request_.dictionary.empty()) {
      auto loaded =
          NamedDictionary::load(disk_, request_.dictionary, dictionary::DictionaryFaults::Warn);
      if (!loaded) {
        for (const std::string& error : loaded.error()) complain(error);
        return false;
      }
      named = std::move(*loaded);
    } else if (const auto version = dictionary::version_of_begin_string(sample_.begin_string)) {
      named = *version == Version::Fixt11 ? NamedDictionary::over_fixt(application_version())
                                          : NamedDictionary::of(*version);
    }
    if (!named) return true;
    auto checker = MessageChecker::make(std::move(*named), {});
    if (!checker) complain(checker.error());
    if (checker) checker_ = std::move(*checker);
    return checker_ != nullptr;
  }
  [[nodiscard]] Version application_version() const {
    return dictionary::version_of_appl_ver_id(sample_.application_version)
        .value_or(Version::Fix50Sp2);
  }
  [[nodiscard]] wire::DataFieldTable data_fields() const {
    return checker_ != nullptr ? checker_->data_fields() : wire::DataFieldTable::standard();
  }

  void measure() {
    timer_ = bench::calibrate_timer();
    LogRowSettings settings{.ns_per_tick = timer_.ns_per_tick};
    if (request_.quick) {
      settings.passes = {.of_block = 7, .single = 1};
      settings.engine_passes = {.of_block = 2, .single = 1};
    }
    if (checker_ != nullptr) {
      inputs_ = inputs_of(std::move(sample_.messages), *checker_);
    } else {
      inputs_.messages = std::move(sample_.messages);
    }
    rows_.push_back(parse_row(inputs_, data_fields(), settings));
    if (checker_ == nullptr) return;
    rows_.push_back(validate_row(inputs_, *checker_, settings));
    LogEngineSettings engine{.begin_string = sample_.begin_string,
                             .dictionary = request_.dictionary};
    if (sample_.begin_string == dictionary::to_string(Version::Fixt11)) {
      const bool is_known =
          dictionary::version_of_appl_ver_id(sample_.application_version).has_value();
      engine.application_version = is_known ? sample_.application_version : "9";
    }
    std::ranges::move(engine_rows(inputs_, data_fields(), engine, settings, refused_),
                      std::back_inserter(rows_));
  }

  void print() const {
    const std::uint64_t messages = inputs_.messages.size();
    fmt::print(streams_.out, "{}, kernel {}, core {}{}\n", machine_.cpu, machine_.kernel,
               machine_.core, machine_.is_virtual ? ", virtual" : "");
    fmt::print(streams_.out, "{} of {}{}, {} bytes: mean {}, p50 {}, p99 {}, max {}\n",
               counted(messages, "message"), printable(sample_.begin_string),
               sample_.is_part ? ", the first of the log" : "", with_thousands(shape_.bytes),
               shape_.mean_bytes, shape_.p50_bytes, shape_.p99_bytes, shape_.max_bytes);
    print_types(messages);
    fmt::print(streams_.out, "{} of tags; the most frequent {} have {:.1f} % of the messages\n",
               counted(shape_.sequences, "sequence"),
               std::min(shape_.sequences, SampleShape::kFrequent),
               100 * share(shape_.of_frequent_sequences, messages));
    print_left_out();
    print_rows();
  }
  void print_types(std::uint64_t messages) const {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, shape_.types.size()); ++i) {
      text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", printable(shape_.types[i].msg_type),
                          100 * share(shape_.types[i].messages, messages));
    }
    if (shape_.types.size() > kShown) {
      text += fmt::format(", and {} more", shape_.types.size() - kShown);
    }
    fmt::print(streams_.out, "MsgType {}\n", text);
  }
  void print_left_out() const {
    const auto line = [&](std::uint64_t count, std::string_view what) {
      if (count == 0) return;
      fmt::print(streams_.out, "{} {}\n", counted(count, "message"), what);
    };
    line(sample_.skipped + repairs_.garbled, "left out: garbled");
    line(sample_.other_versions, "left out: of another version");
    line(repairs_.repaired, "repaired: BodyLength and CheckSum were those of other bytes");
    line(inputs_.invalid,
         "only in parse: invalid by the dictionary (`nexusfix validate` explains, --dict names "
         "yours), "
         "the first: " +
             inputs_.first_violation);
    line(inputs_.of_session, "not in inside: of the session layer");
    line(refused_, "not in inside: the engine did not pass them to the application");
  }
  void print_rows() const {
    fmt::print(streams_.out, "\n{:<16}{:>10}{:>14}{:>10}{:>10}{:>12}\n", "ns a message", "ns",
               "messages/s", "p50", "p99", "messages");
    for (const LogRow& row : rows_) {
      if (!row.figures) {
        fmt::print(streams_.out, "{:<16}not measured: {}\n", row.name, printable(row.missing));
        continue;
      }
      const LogFigures& figures = *row.figures;
      fmt::print(streams_.out, "{:<16}{:>10.1f}{:>14}{:>10.1f}{:>10.1f}{:>12}\n", row.name,
                 figures.ns, with_thousands(per_second(figures)), figures.p50, figures.p99,
                 with_thousands(figures.messages));
    }
    if (checker_ == nullptr) {
      fmt::print(streams_.out,
                 "validate and inside need a dictionary: {} is no version of FIX (--dict)\n",
                 printable(sample_.begin_string));
    }
    fmt::print(streams_.out, "p50 and p99 include {:.1f} ns of the timer\n", timer_.cost_ns);
  }

  bool write_json() const {
    if (request_.json.empty()) return true;
    const auto written = command::write_whole_file(disk_, request_.json, json().document());
    if (!written) complain(written.error());
    return written.has_value();
  }
  [[nodiscard]] Json json() const {
    Json json = Json::object({{"cpu", machine_.cpu},
                              {"kernel", machine_.kernel},
                              {"core", machine_.core},
                              {"virtual", machine_.is_virtual},
                              {"compiler", machine_.compiler},
                              {"commit", machine_.commit},
                              {"timer_cost_ns", timer_.cost_ns}});
    json.set("begin_string", sample_.begin_string);
    json.set("messages", inputs_.messages.size());
    json.set("is_part", sample_.is_part);
    json.set("left_out", Json::object({{"garbled", sample_.skipped + repairs_.garbled},
                                       {"other_versions", sample_.other_versions},
                                       {"invalid", inputs_.invalid},
                                       {"of_session", inputs_.of_session},
                                       {"refused", refused_}}));
    json.set("repaired", repairs_.repaired);
    json.set("bytes", Json::object({{"all", shape_.bytes},
                                    {"mean", shape_.mean_bytes},
                                    {"p50", shape_.p50_bytes},
                                    {"p99", shape_.p99_bytes},
                                    {"max", shape_.max_bytes}}));
    json.set("sequences", shape_.sequences);
    json.set("of_frequent_sequences", shape_.of_frequent_sequences);
    json.set("types", Json::array(shape_.types, [](const SampleShape::Type& type) {
               return Json::object({{"msg_type", type.msg_type}, {"messages", type.messages}});
             }));
    json.set("rows", Json::array(rows_, json_of_row));
    return json;
  }
  static Json json_of_row(const LogRow& row) {
    Json json = Json::object({{"name", row.name}, {"purpose", row.purpose}});
    if (!row.figures) {
      json.set("missing", row.missing);
      return json;
    }
    const LogFigures& figures = *row.figures;
    json.set("messages", figures.messages);
    json.set("ns", figures.ns);
    json.set("messages_per_s", per_second(figures));
    json.set("p50", figures.p50);
    json.set("p99", figures.p99);
    json.set("min", figures.min);
    json.set("max", figures.max);
    return json;
  }

  void complain(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix bench: {}\n", printable(text));
  }

  const command::BenchOfLog& request_;
  Disk& disk_;
  SampleLimits limits_;
  BenchStreams streams_;
  bench::Machine machine_;
  bench::TimerFacts timer_;
  LogSample sample_;
  std::unique_ptr<MessageChecker> checker_;  // null: no dictionary is of this version
  Repairs repairs_;
  SampleShape shape_;
  LogInputs inputs_;
  std::vector<LogRow> rows_;
  std::uint64_t refused_ = 0;
};

}  // namespace

int bench_log(const command::BenchOfLog& request, Disk& disk, SampleLimits limits,
              BenchStreams streams) {
  return LogBench{request, disk, limits, streams}.run();
}

}  // namespace nexusfix::logs

namespace nexusfix::command {

int run_bench_of_log(const BenchOfLog& request) {
  catch_interrupts();
  PosixDisk disk;
  return logs::bench_log(request, disk, {}, {});
}

}  // namespace nexusfix::command
