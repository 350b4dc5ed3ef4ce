// The rule sets that come with the program.
#pragma once

#include <span>

namespace mansuba::tablebase {

struct RuleFile {
    const char* name;
    const char* text;  // JSON, for RuleSet::parse()
};

/// The first one holds by default.
extern const std::span<const RuleFile> kRuleFiles;

}  // namespace mansuba::tablebase
