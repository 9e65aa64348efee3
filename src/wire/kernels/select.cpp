#include <cstdlib>
#include <cstring>

#include <nexusfix/wire/parser.hpp>

#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {

namespace kernels {

#if defined(__x86_64__)
namespace avx512 {
extern const KernelTable kTable;
}
namespace avx2 {
extern const KernelTable kTable;
}
#endif
#if defined(__aarch64__)
namespace neon {
extern const KernelTable kTable;
}
#endif
namespace scalar {
extern const KernelTable kTable;
}

namespace {

// Best first. The last one runs on every CPU.
constexpr const KernelTable* kTables[] = {
#if defined(__x86_64__)
    &avx512::kTable,
    &avx2::kTable,
#endif
#if defined(__aarch64__)
    &neon::kTable,
#endif
    &scalar::kTable,
};

struct Selection {
  const KernelTable* table;
  detail::IsaError::Code error;
  bool failed;
};

[[nodiscard]] Selection select() noexcept {
  const char* const forced = std::getenv("NEXUSFIX_FORCE_ISA");
  const bool free_choice = forced == nullptr || *forced == '\0';
  for (const KernelTable* table : kTables) {
    if (!free_choice && std::strcmp(forced, table->name) != 0) continue;
    if (table->supported()) return {table, {}, false};
    if (!free_choice) return {&scalar::kTable, detail::IsaError::Code::Unsupported, true};
  }
  return {&scalar::kTable, detail::IsaError::Code::Unknown, true};
}

// Initialised by the first thread that calls it, while the others wait. Never changes afterwards.
[[nodiscard]] const Selection& selection() noexcept {
  static const Selection chosen = select();
  return chosen;
}

}  // namespace

const KernelTable& selected() noexcept { return *selection().table; }

KernelList all() noexcept { return {kTables, sizeof kTables / sizeof kTables[0]}; }

}  // namespace kernels

std::expected<std::string_view, detail::IsaError> selected_isa() noexcept {
  const kernels::Selection& chosen = kernels::selection();
  if (chosen.failed) return std::unexpected{detail::IsaError{chosen.error}};
  return std::string_view{chosen.table->name};
}

std::string_view known_isas() noexcept {
#if defined(__x86_64__)
  return "avx512, avx2, scalar";
#elif defined(__aarch64__)
  return "neon, scalar";
#else
  return "scalar";
#endif
}

}  // namespace nexusfix::wire
