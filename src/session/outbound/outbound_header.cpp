#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>

#include "session/api/connection_state.hpp"

namespace nexusfix::session::detail {
namespace {

wire::HeaderTemplate header_template(const SessionConfig& config) {
  NEXUSFIX_ASSERT(validate(config).empty());
  const SessionId& id = config.id;
  std::vector<wire::detail::HeaderField> fixed;
  for (const wire::detail::HeaderField& one :
       {wire::detail::HeaderField{tag::SenderSubID, id.sender_sub_id},
        wire::detail::HeaderField{tag::TargetSubID, id.target_sub_id},
        wire::detail::HeaderField{tag::SenderLocationID, id.sender_location_id},
        wire::detail::HeaderField{tag::TargetLocationID, id.target_location_id}}) {
    if (!one.value.empty()) fixed.push_back(one);
  }
  auto made =
      wire::HeaderTemplate::make({id.begin_string, id.sender_comp_id, id.target_comp_id}, fixed);
  NEXUSFIX_ASSERT(made.has_value());
  return *std::move(made);
}

}  // namespace

OutboundHeader::OutboundHeader(const SessionConfig& config)
    : template_{header_template(config)}, version_{find_version(config.id.begin_string)} {
  configure(config);
}

void OutboundHeader::configure(const SessionConfig& config) noexcept {
  precision_ = effective_precision(*version_, config.header.time_precision);
  sends_last_processed_ =
      config.header.send_last_msg_seq_num_processed && version_->has_last_processed;
}

// FIX 4.2, LastMsgSeqNumProcessed: the last number that was received and processed.
void OutboundHeader::write_last_processed(wire::Encoder& encoder,
                                          std::uint64_t next_inbound) noexcept {
  encoder.field<tag::LastMsgSeqNumProcessed>(next_inbound - 1);
}

}  // namespace nexusfix::session::detail
