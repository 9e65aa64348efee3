// The fields, values, groups and messages of a dictionary for the gateway's clients in other
// languages: clients/ at the root.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "codegen/emit_messages.hpp"

namespace nexusfix::codegen {

// A language with a client.
enum class Language { Cpp, Go, Java, TypeScript };

// "c++", "go", "java" or "typescript". Unset: no language has this name.
[[nodiscard]] std::optional<Language> language_of(std::string_view name) noexcept;

// The files of one language, below the folder of the output: fix44/fix44.go,
// nexusfix/fix44/Fix44.java, or fix44.js and fix44.d.ts; of C++ those of emit_messages(). Each
// begins with kMadeBy.
[[nodiscard]] std::vector<GeneratedFile> emit_language(const dictionary::Dictionary& dictionary,
                                                       Language language,
                                                       const EmitOptions& options);

}  // namespace nexusfix::codegen
