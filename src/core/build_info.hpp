#pragma once
// What a run's bits depend on besides its inputs: this build of the program
// and what this CPU can do.
#include <string>

namespace handspan {

/// The linker's build id of the program or library that this is in, in hexadecimal; "unknown" when
/// it has none.
std::string build_id();
/// "GCC 12.2.0".
std::string compiler();
/// As the system names it; "unknown" when it does not.
std::string cpu_model();
/// Of the instruction sets that mathematical libraries choose their code by, those that this CPU
/// has: "avx avx2 fma".
std::string cpu_features();

}  // namespace handspan
