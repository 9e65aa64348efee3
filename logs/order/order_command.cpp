#include <CLI/CLI.hpp>
#include <utility>

#include "logs/log_options.hpp"
#include "logs/order/order.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_order(Arguments arguments) {
  CLI::App app{
      "Finds all messages of an order, over cancels, replaces, fills and busts, and computes its "
      "OrdStatus, CumQty, LeavesQty and AvgPx. Where a report disagrees, a line with ! says so. "
      "Give the logs of both sides to see each message with both times.",
      "nexusfix order"};
  OrderOptions options;
  app.add_option("ID", options.id,
                 "a ClOrdID, OrigClOrdID, OrderID, ExecID or ExecRefID of the order")
      ->required();
  add_log_options(app, options.input);
  app.remove_option(app.get_option("--merge"));
  app.add_flag("--json", options.is_json, "print one JSON object, for programs");
  add_dictionary_option(app, options.dictionary);
  app.footer(
      "Examples:\n"
      "  $ nexusfix order A1 messages.log\n"
      "  $ nexusfix order X17 trader.log venue.log.gz\n\n"
      "Exit status:\n"
      "  0  the order was found, and every report agrees\n"
      "  1  no order has ID, a report disagrees, or a file could not be read to its end\n"
      "  2  a file cannot be opened, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  catch_interrupts();
  PosixDisk disk;
  return order_files(options, disk, {});
}

}  // namespace nexusfix::command
