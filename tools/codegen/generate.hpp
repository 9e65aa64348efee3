// From a dictionary's file to a folder of headers, for `nexusfix codegen` and nexusfix_codegen.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "codegen/languages/emit_languages.hpp"

namespace nexusfix::codegen {

// QuickFIX XML or Orchestra. The error names the file and, for a fault in the text, the line. Each
// of its lines is one fault.
[[nodiscard]] std::expected<dictionary::Dictionary, std::string> load_file(Disk& disk,
                                                                           const std::string& path);

// Does not touch a file that already has this content, so that nothing is compiled again for it.
// Creates the parent folders. Returns whether it wrote. The error names the path and the cause.
[[nodiscard]] std::expected<bool, std::string> write_if_different(Disk& disk,
                                                                  const std::string& path,
                                                                  std::string_view text);

struct MessagesJob {
  std::string dictionary;  // path
  std::string folder;      // to write below; for -I
  // nexusfix::NAME and the folder nexusfix/NAME. Empty: the name of the file in lower case.
  std::string name_space;
  Language language = Language::Cpp;
};

// The namespace of a job. The error says why it is not possible: a keyword, a name that C++
// reserves, or one of the library's.
[[nodiscard]] std::expected<std::string, std::string> name_space_of(const MessagesJob& job);

struct Generated {
  std::string folder;       // of C++: job.folder, nexusfix, and the namespace; else job.folder
  std::size_t headers = 0;  // the number of the dictionary's headers, or files of the language
  std::size_t written = 0;  // the number of these that were written
  std::size_t removed = 0;  // the number of headers of an earlier run that were removed
  std::vector<std::string> warnings;
};

// Writes the files of emit_language(). The error is for the user.
[[nodiscard]] std::expected<Generated, std::string> generate_messages(Disk& disk,
                                                                      const MessagesJob& job);

}  // namespace nexusfix::codegen
