// An encoder of the C interface: one message, its open groups and its first error.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>

#include "nexusfix.h"

struct nxf_encoder {
  // A group that is being written.
  struct Level {
    Level(nexusfix::wire::Encoder& encoder, nexusfix::wire::Tag tag, std::size_t count)
        : writer{encoder.group(tag, count)} {}
    nexusfix::wire::GroupWriter writer;
  };
  // An error that the encoder below cannot know.
  struct Fault {
    nxf_status status = NXF_OK;
    nexusfix::wire::Tag tag = 0;
    std::string_view text;  // of static lifetime
  };

  nxf_encoder() = default;
  nxf_encoder(const nxf_encoder&) = delete;
  nxf_encoder& operator=(const nxf_encoder&) = delete;
  ~nxf_encoder() { give_up(); }

  // Without a message.
  void give_up() noexcept;
  // Ends the groups; one that is open is an error.
  void close_groups() noexcept;
  // Keeps the first error; the fields that follow are ignored.
  void fail(const Fault& found) noexcept;

  std::optional<nexusfix::wire::Encoder> encoder;
  std::array<std::optional<Level>, NXF_GROUP_DEPTH> levels;
  std::size_t depth = 0;
  std::optional<Fault> fault;
  bool is_of_session = false;  // nxf_session_send() finishes it
};

namespace nexusfix::c {

nxf_status report_encode_error(nxf_error* error, const wire::EncodeError& found) noexcept;

}  // namespace nexusfix::c
