// From a dictionary's file to a folder of headers: what `nexusfix codegen` and nexusfix_codegen do.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::codegen {

// QuickFIX XML or Orchestra. The error names the file and, if it is the text's, the line;
// each of its own lines is one fault.
[[nodiscard]] std::expected<dictionary::Dictionary, std::string> load_file(Disk& disk,
                                                                           const std::string& path);

// Leaves a file alone that has this content already, so that nothing is compiled anew for it; makes
// the folders above it. Returns whether it wrote. The error names the path and the cause.
[[nodiscard]] std::expected<bool, std::string> write_if_different(Disk& disk,
                                                                  const std::string& path,
                                                                  std::string_view text);

struct MessagesJob {
  std::string dictionary;  // path
  std::string folder;      // to write below; for -I
  // nexusfix::NAME and the folder nexusfix/NAME. Empty: the name of the file in lower case.
  std::string name_space;
};

// The namespace of a job. The error says why it cannot be one: a keyword, a name that C++ has for
// itself, or one of the library's.
[[nodiscard]] std::expected<std::string, std::string> name_space_of(const MessagesJob& job);

struct Generated {
  std::string folder;       // job.folder, nexusfix, and the namespace
  std::size_t headers = 0;  // that the dictionary has
  std::size_t written = 0;  // of them
  std::size_t removed = 0;  // headers of an earlier run that the dictionary has no longer
  std::vector<std::string> warnings;
};

// Writes the headers that emit_messages() makes. The error is for the user's eyes.
[[nodiscard]] std::expected<Generated, std::string> generate_messages(Disk& disk,
                                                                      const MessagesJob& job);

}  // namespace nexusfix::codegen
