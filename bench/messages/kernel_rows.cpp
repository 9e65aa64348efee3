// The parser with each kernel that this CPU supports.
#include <string>

#include <nexusfix/wire/parser.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::bench {
namespace {

struct KernelParse {
  std::vector<std::string_view> messages;
  wire::detail::ParserIndex parser;

  std::uint64_t operator()(std::size_t input) {
    const auto message = parser.parse(messages[input]);
    return message && !message->fault() ? message->field_count() : 0;
  }
};

// The budget is a multiple of the parse row's. The scalar kernel has only one relative to QuickFIX.
std::optional<double> budget_of(std::string_view isa) {
  if (isa == "avx512") return 17;
  if (isa == "avx2") return 42.5;
  return std::nullopt;
}

Row kernel_row(const wire::kernels::KernelTable& kernel) {
  const std::string_view isa = kernel.name;
  return {{.name = "kernel/" + std::string{isa} + "/ExecutionReport",
           .purpose = "parse/ExecutionReport with the kernel " + std::string{isa},
           .published = {},
           .budget = budget_of(isa)},
          [&kernel](Subjects subjects) {
            const auto messages = std::make_shared<Messages>(flow_execution_reports());
            Plan plan{.owner = messages, .bytes = messages->mean_bytes, .contestants = {}};
            KernelParse parse{{messages->texts.begin(), messages->texts.end()},
                              wire::detail::ParserIndex{wire::DataFieldTable::standard(), kernel}};
            plan.contestants.emplace_back(
                subjects.front()->name(),
                make_contestant(std::move(parse), messages->field_counts));
            return plan;
          }};
}

}  // namespace

void add_kernel_rows(std::vector<Row>& rows) {
  const wire::kernels::KernelList kernels = wire::kernels::all();
  for (std::size_t i = 0; i < kernels.count; ++i) {
    if (kernels.tables[i]->supported()) rows.push_back(kernel_row(*kernels.tables[i]));
  }
}

}  // namespace nexusfix::bench
