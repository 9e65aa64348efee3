// nexusfix_codegen: from dictionaries in QuickFIX XML to C++.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/quickfix_xml.hpp>

#include "codegen/emit_messages.hpp"
#include "codegen/emit_names.hpp"

namespace nexusfix::codegen {
namespace {

using Result = std::expected<void, std::string>;

std::expected<dictionary::Dictionary, std::string> load(Disk& disk, const std::string& path) {
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto loaded = dictionary::load_quickfix_xml(*text, path);
  if (!loaded) return std::unexpected{loaded.error().what()};
  for (const std::string& warning : loaded->warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  return std::move(*loaded);
}

// Leaves a file alone that has this content already, so that nothing is compiled anew for it.
Result write(Disk& disk, const std::string& path, const std::string& text) {
  const auto before = read_file(disk, path, text.size());
  if (before && *before == text) return {};
  if (const auto slash = path.rfind('/'); slash != path.npos) {
    const auto made = disk.make_directories(path.substr(0, slash));
    if (!made) return std::unexpected{made.error().what()};
  }
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error().what()};
  const auto written = (*file)->write_at(0, text);
  if (!written) return std::unexpected{written.error().what()};
  const auto cut = (*file)->truncate(text.size());
  if (!cut) return std::unexpected{cut.error().what()};
  return {};
}

struct MessagesJob {
  std::string dictionary;
  std::string name_space;
  std::string folder;
};

Result run(Disk& disk, const MessagesJob& job) {
  const auto loaded = load(disk, job.dictionary);
  if (!loaded) return std::unexpected{loaded.error()};
  const EmitOptions options{job.name_space, job.dictionary.substr(job.dictionary.rfind('/') + 1)};
  for (const GeneratedFile& file : emit_messages(*loaded, options)) {
    if (auto written = write(disk, job.folder + '/' + file.path, file.text); !written) {
      return written;
    }
  }
  return {};
}

struct NamesJob {
  std::vector<std::string> dictionaries;
  std::string file;
};

Result run(Disk& disk, const NamesJob& job) {
  std::vector<dictionary::Dictionary> dictionaries;
  for (const std::string& path : job.dictionaries) {
    auto loaded = load(disk, path);
    if (!loaded) return std::unexpected{loaded.error()};
    dictionaries.push_back(std::move(*loaded));
  }
  return write(disk, job.file, emit_names(dictionaries));
}

int codegen_main(int argc, char** argv) {
  CLI::App app{"Makes C++ from FIX dictionaries in the QuickFIX XML form.", "nexusfix_codegen"};
  app.require_subcommand(1);
  MessagesJob messages;
  CLI::App* const messages_command =
      app.add_subcommand("messages", "headers with typed fields and messages");
  messages_command->add_option("DICTIONARY", messages.dictionary)->required();
  messages_command->add_option("--namespace", messages.name_space, "nexusfix::NAME, such as fix44")
      ->required();
  messages_command->add_option("-o,--output", messages.folder, "include folder to write below")
      ->required();
  NamesJob names;
  CLI::App* const names_command = app.add_subcommand("names", "the library's table of names");
  names_command->add_option("DICTIONARY", names.dictionaries)->required();
  names_command->add_option("-o,--output", names.file, "source file to write")->required();
  CLI11_PARSE(app, argc, argv);

  PosixDisk disk;
  const Result result = messages_command->parsed() ? run(disk, messages) : run(disk, names);
  if (result) return 0;
  std::fprintf(stderr, "nexusfix_codegen: %s\n", result.error().c_str());
  return 1;
}

}  // namespace
}  // namespace nexusfix::codegen

int main(int argc, char** argv) {
  try {
    return nexusfix::codegen::codegen_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nexusfix_codegen: %s\n", error.what());
    return 1;
  }
}
