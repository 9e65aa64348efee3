// The dictionary that an argument names: a version of FIX, or a file.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

namespace nexusfix::command {

// "FIX.4.4", "FIX44", "4.4", "5.0SP2", "FIXT.1.1": ignores case and points.
[[nodiscard]] std::optional<dictionary::Version> version_of_name(std::string_view name);
// All of them, the oldest first, separated by spaces.
[[nodiscard]] std::string version_names();

// Adds the session messages that the dictionary of a file lacks, as an engine does.
void complete_session(dictionary::Dictionary& dictionary);

// A dictionary with its name. From FIX 5.0 on it has a second dictionary for its transport,
// FIXT.1.1: the header, the trailer and the administrative messages. An earlier version is its own
// transport.
class NamedDictionary {
 public:
  static NamedDictionary of(dictionary::Version version);
  // The version over FIXT.1.1, which carries messages of any version.
  static NamedDictionary over_fixt(dictionary::Version version);
  // Each line of an error names one fault, with file and line.
  using Opened = std::expected<NamedDictionary, std::vector<std::string>>;
  // QuickFIX XML or Orchestra, with the session messages of the standard that it lacks.
  [[nodiscard]] static Opened load(Disk& disk, const std::string& path,
                                   dictionary::DictionaryFaults faults);
  // The name of a version, or else a path: the file as it is.
  [[nodiscard]] static Opened open(Disk& disk, const std::string& name,
                                   dictionary::DictionaryFaults faults);

  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] const dictionary::Dictionary& application() const { return *application_; }
  [[nodiscard]] const dictionary::Dictionary& transport() const { return *transport_; }
  [[nodiscard]] bool has_own_transport() const { return application_ == transport_; }
  // The warnings about the file that it was loaded from.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return application_->warnings; }
  // One or two, the application's first.
  [[nodiscard]] std::vector<const dictionary::Dictionary*> both() const;

 private:
  NamedDictionary() = default;
  [[nodiscard]] static Opened read(Disk& disk, const std::string& path,
                                   dictionary::DictionaryFaults faults);
  void use(std::shared_ptr<const dictionary::Dictionary> loaded);

  std::string label_;
  std::shared_ptr<const dictionary::Dictionary> loaded_;
  const dictionary::Dictionary* application_ = nullptr;
  const dictionary::Dictionary* transport_ = nullptr;
};

}  // namespace nexusfix::command
