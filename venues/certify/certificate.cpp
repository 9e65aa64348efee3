#include "venues/certify/certificate.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "base/api/utc_text.hpp"
#include "tester/report/report.hpp"
#include "transport/api/signing_key.hpp"
#include "venues/kit/kit_files.hpp"

namespace nexusfix::venues {
namespace {

using Json = nlohmann::ordered_json;
using Done = std::expected<void, std::string>;

std::string_view word_of(tester::Verdict verdict) {
  switch (verdict) {
    case tester::Verdict::Passed:
      return "passed";
    case tester::Verdict::Failed:
      return "failed";
    case tester::Verdict::Skipped:
      return "skipped";
    case tester::Verdict::NotRun:
      break;
  }
  return "not run";
}

std::string_view sign_of(tester::Side side) {
  return side == tester::Side::Tester ? "venue  " : side == tester::Side::Engine ? "program" : "";
}

std::string conversation_of(const tester::Result& result) {
  std::string text = fmt::format("{}: {}\n", full_name(result), result.title);
  for (const tester::Entry& entry : result.entries) {
    text += fmt::format("{:9.3f} {} {}{}\n", std::chrono::duration<double>{entry.at}.count(),
                        sign_of(entry.side), entry.text, entry.is_difference ? "  <-- !" : "");
  }
  if (result.failure) text += fmt::format("{}\n", result.failure->what);
  return text;
}

Done write(Disk& disk, const std::string& path, std::string_view text) {
  if (auto done = replace_file(disk, path, text); !done)
    return std::unexpected{done.error().what()};
  return {};
}

std::string conversation_name(const tester::Result& result) {
  return fmt::format("conversations/{}.txt", result.name);
}

Json case_json(const tester::Result& result) {
  Json one{{"name", result.name}, {"title", result.title}, {"verdict", word_of(result.verdict)}};
  if (!result.reason.empty()) one["reason"] = result.reason;
  if (!result.remarks.empty()) one["remarks"] = result.remarks;
  if (result.failure) {
    one["failure"] = {{"statement", result.failure->statement},
                      {"what", result.failure->what},
                      {"expected", result.failure->expected},
                      {"got", result.failure->got}};
  }
  one["conversation"] = conversation_name(result);
  one["sha256"] = sha256_of(conversation_of(result));
  return one;
}

Json summary_json(const Kit& kit, const tester::Run& run, const CertificateFacts& facts) {
  const tester::Counts counts = count_of(run);
  Json json{
      {"venue", kit.name},
      {"title", kit.title},
      {"document", kit.document},
      {"endpoint", facts.endpoint},
      {"date", utc_text(std::chrono::floor<std::chrono::seconds>(facts.begun), UtcForm::Plain)},
      {"seconds", std::chrono::duration<double>{facts.duration}.count()},
      {"seed", facts.seed},
      {"program", {{"command", facts.command}, {"version", facts.program_version}}},
      {"nexusfix", facts.nexusfix_version},
      {"passed", counts.passed},
      {"failed", counts.failed},
      {"skipped", counts.skipped},
      {"not_run", counts.not_run},
      {"ended_early", run.ended_early}};
  for (const tester::Result& result : run.results) json["cases"].push_back(case_json(result));
  for (const KitFile& file : kit_files()) {
    if (file.kit == kit.name) json["kit_files"][std::string{file.name}] = sha256_of(file.text);
  }
  return json;
}

// A cell of a table.
std::string cell(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  std::string result;
  for (const char c : text) result += c == '|' ? std::string{"\\|"} : std::string{c};
  return result;
}

std::string summary_text(const Json& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  std::string page = fmt::format(
      "# Certification: {}, {}\n\n| | |\n|---|---|\n| date | {} UTC |\n| program | `{}` |\n"
      "| version of the program | {} |\n| NexusFIX | {} |\n| document of the venue | {} |\n"
      "| result | {} passed, {} failed, {} skipped, {} not run{} |\n\n",
      text("title"), text("endpoint"), text("date"),
      cell(json["program"]["command"].get<std::string>()),
      cell(json["program"]["version"].get<std::string>()), text("nexusfix"), text("document"),
      json["passed"].get<int>(), json["failed"].get<int>(), json["skipped"].get<int>(),
      json["not_run"].get<int>(),
      text("ended_early").empty() ? "" : "; ended early: " + text("ended_early"));
  page += "| case | verdict | what it asks | SHA-256 of the conversation |\n|---|---|---|---|\n";
  for (const Json& one : json["cases"]) {
    std::string verdict = one["verdict"].get<std::string>();
    if (one.contains("failure")) verdict += ": " + one["failure"]["what"].get<std::string>();
    if (one.contains("reason")) verdict += ": " + one["reason"].get<std::string>();
    page += fmt::format("| {} | {} | {} | `{}` |\n", one["name"].get<std::string>(), cell(verdict),
                        cell(one["title"].get<std::string>()), one["sha256"].get<std::string>());
  }
  page += "\n| file of the kit | SHA-256 |\n|---|---|\n";
  for (const auto& [name, digest] : json["kit_files"].items()) {
    page += fmt::format("| {} | `{}` |\n", name, digest.get<std::string>());
  }
  return page;
}

}  // namespace

std::string sha256_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return transport::to_text({reinterpret_cast<const char*>(digest.data()), size},
                            transport::BytesAsText::Hex);
}

Done write_certificate(const Kit& kit, const tester::Run& run, const CertificateFacts& facts,
                       const std::string& folder, Disk& disk) {
  if (auto made = disk.make_directories(folder + "/conversations"); !made) {
    return std::unexpected{made.error().what()};
  }
  for (const tester::Result& result : run.results) {
    const auto done =
        write(disk, folder + "/" + conversation_name(result), conversation_of(result));
    if (!done) return done;
  }
  const tester::PageHead head{
      .title = fmt::format("{}, {}: certification of {}", kit.title, facts.endpoint,
                           facts.program_version.empty() ? facts.command : facts.program_version),
      .about = fmt::format(
          "{}, from {} UTC. Document of the venue: {}", facts.command,
          utc_text(std::chrono::floor<std::chrono::seconds>(facts.begun), UtcForm::Plain),
          kit.document)};
  if (auto done = write(disk, folder + "/report.html", html_page(run, head)); !done) return done;
  if (auto done = write(disk, folder + "/report.xml", junit_xml(run)); !done) return done;
  const Json json = summary_json(kit, run, facts);
  if (auto done = write(disk, folder + "/summary.md", summary_text(json)); !done) return done;
  // What a program has printed is no UTF-8, perhaps.
  return write(disk, folder + "/summary.json",
               json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace nexusfix::venues
