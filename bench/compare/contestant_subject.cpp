#include "bench/compare/contestant_subject.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/contestants/contestant.h"

namespace nexusfix::bench {
namespace {

nexusfix_text text_of(std::string_view text) { return {text.data(), text.size()}; }

std::vector<nexusfix_text> texts_of(const std::vector<std::string>& texts) {
  std::vector<nexusfix_text> all;
  for (const std::string& text : texts) all.push_back(text_of(text));
  return all;
}

nexusfix_order order_of(const Order& o) {
  return {.msg_seq_num = o.msg_seq_num,
          .sending_time = o.sending_time_ms,
          .cl_ord_id = text_of(o.cl_ord_id),
          .symbol = text_of(o.symbol),
          .transact_time = o.transact_time_ms,
          .order_qty = o.order_qty,
          .price = o.price_cents,
          .side = o.side};
}

nexusfix_execution execution_of(const Execution& e) {
  return {.msg_seq_num = e.msg_seq_num,
          .sending_time = e.sending_time_ms,
          .order_id = text_of(e.order_id),
          .exec_id = text_of(e.exec_id),
          .symbol = text_of(e.symbol),
          .order_qty = e.order_qty,
          .price = e.price_cents,
          .last_qty = e.last_qty,
          .last_px = e.last_px_cents,
          .leaves_qty = e.leaves_qty,
          .cum_qty = e.cum_qty,
          .avg_px = e.avg_px_cents,
          .transact_time = e.transact_time_ms};
}

// The error of an answer; empty: it is right.
using CheckAnswer = std::function<std::string(const nexusfix_job&, std::size_t input)>;

class ForeignContestant final : public Contestant {
 public:
  ForeignContestant(nexusfix_job job, std::size_t inputs, CheckAnswer check_answer)
      : job_{job}, inputs_{inputs}, check_answer_{std::move(check_answer)} {}
  ForeignContestant(const ForeignContestant&) = delete;
  ForeignContestant& operator=(const ForeignContestant&) = delete;
  ~ForeignContestant() override { job_.destroy(job_.self); }

  std::string check() override {
    for (std::size_t i = 0; i < inputs_; ++i) {
      if (std::string wrong = check_answer_(job_, i); !wrong.empty()) return wrong;
    }
    return {};
  }
  [[nodiscard]] std::size_t inputs() const override { return inputs_; }
  void run(std::size_t calls) override { job_.run(job_.self, calls); }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    job_.time_each(job_.self, ticks, calls);
  }

 private:
  nexusfix_job job_;
  std::size_t inputs_;
  CheckAnswer check_answer_;
};

ContestantPtr contestant_of(nexusfix_job job, std::size_t inputs, CheckAnswer check_answer) {
  if (job.self == nullptr) return nullptr;
  return std::make_unique<ForeignContestant>(job, inputs, std::move(check_answer));
}

CheckAnswer answers_are(Answers expected, std::uint64_t without_count = UINT64_MAX) {
  return [expected = std::move(expected), without_count](const nexusfix_job& job,
                                                         std::size_t input) -> std::string {
    const std::uint64_t answer = job.answer(job.self, input);
    if (answer == expected[input] || answer == without_count) return {};
    return fmt::format("input {}: {} is right, the answer was {}", input, expected[input], answer);
  };
}

template <class Values, class Foreign>
ContestantPtr encoding_of(nexusfix_job (*make)(const Foreign*, std::size_t),
                          const EncodeJob<Values>& job, Foreign (*convert)(const Values&)) {
  if (make == nullptr) return nullptr;
  std::vector<Foreign> values;
  for (const Values& one : job.values) values.push_back(convert(one));
  return contestant_of(make(values.data(), values.size()), values.size(),
                       [verify = job.verify](const nexusfix_job& encoding, std::size_t input) {
                         const nexusfix_text made = encoding.message(encoding.self, input);
                         return verify(std::string{made.bytes, made.size}, input);
                       });
}

class ForeignSubject final : public Subject {
 public:
  explicit ForeignSubject(const nexusfix_contestant_functions& functions) noexcept
      : functions_{functions} {}

  [[nodiscard]] std::string name() const override { return functions_.name; }
  [[nodiscard]] bool is_external() const override { return true; }
  ContestantPtr parse(const Messages& messages) override {
    constexpr std::uint64_t kNotCounted = 1;
    return from_texts(functions_.parse, messages, answers_are(messages.field_counts, kNotCounted));
  }
  ContestantPtr parse_and_read(const ReadJob& job) override {
    return from_texts(functions_.parse_and_read, job.messages, answers_are(job.answers));
  }
  ContestantPtr read_group(const ReadJob& job) override {
    return from_texts(functions_.read_group, job.messages, answers_are(job.answers));
  }
  ContestantPtr frame(const Stream& stream) override {
    if (functions_.frame == nullptr) return nullptr;
    return contestant_of(functions_.frame(text_of(stream.bytes)), 1,
                         answers_are({stream.bytes.size()}));
  }
  ContestantPtr encode_order(const EncodeJob<Order>& job) override {
    return encoding_of(functions_.encode_order, job, order_of);
  }
  ContestantPtr encode_execution(const EncodeJob<Execution>& job) override {
    return encoding_of(functions_.encode_execution, job, execution_of);
  }

 private:
  static ContestantPtr from_texts(nexusfix_job (*make)(const nexusfix_text*, std::size_t),
                                  const Messages& messages, CheckAnswer check_answer) {
    if (make == nullptr) return nullptr;
    const std::vector<nexusfix_text> texts = texts_of(messages.texts);
    return contestant_of(make(texts.data(), texts.size()), texts.size(), std::move(check_answer));
  }

  const nexusfix_contestant_functions& functions_;
};

}  // namespace

std::unique_ptr<Subject> open_contestant(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error{::dlerror()};
  void* const entry = ::dlsym(library, "nexusfix_contestant");
  if (entry == nullptr) throw std::runtime_error{path + " is no contestant"};
  // POSIX: the pointer from dlsym() may be called as a function.
  const auto* const functions = reinterpret_cast<decltype(&nexusfix_contestant)>(entry)();
  if (functions == nullptr || functions->interface_version != NEXUSFIX_CONTESTANT_INTERFACE) {
    throw std::runtime_error{fmt::format(
        "{} has version {} of the contestants' interface, this program has {}", path,
        functions == nullptr ? 0 : functions->interface_version, NEXUSFIX_CONTESTANT_INTERFACE)};
  }
  return std::make_unique<ForeignSubject>(*functions);
}

}  // namespace nexusfix::bench
