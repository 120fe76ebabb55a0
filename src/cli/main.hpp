#pragma once
#include "core/parts.hpp"

namespace handspan {

/// The whole program: parses the command line and runs a subcommand.
/// @param parts what apps, studies and logs may name: built_in_parts(), and those that a program
/// outside the tree added to them
/// @return 0 what was asked holds; 1 it was measured and does not; 2 bad input
int main(int argc, char** argv, const Parts& parts);

}  // namespace handspan
