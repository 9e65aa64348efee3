// Parsing with a given kernel: what Parser does with the selected one, and what tests do with each.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/wire/data_fields.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {

class ParserIndex {
 public:
  ParserIndex(const DataFieldTable& data_fields, const kernels::KernelTable& kernel);
  ParserIndex(const ParserIndex&) = delete;
  ParserIndex& operator=(const ParserIndex&) = delete;

  [[nodiscard]] std::expected<MessageView, ParseError> parse(std::string_view frame);

 private:
  void reserve(std::uint32_t fields);
  void append_check_sum(std::uint32_t body_end, kernels::Indexed& indexed) const noexcept;

  const kernels::KernelTable& kernel_;
  kernels::FieldArrays arrays_{};
  kernels::DataTags data_tags_{};
  Faults faults_;
  std::unique_ptr<std::uint32_t[]> storage_;
  std::vector<std::uint32_t> length_tags_;
  std::vector<std::uint32_t> paired_data_tags_;
};

}  // namespace nexusfix::wire
