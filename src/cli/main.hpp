#pragma once

namespace handspan {

/// The whole program: parses the command line and runs a subcommand. A program outside the tree
/// registers its parts first and then calls this.
/// @return 0 what was asked holds; 1 it was measured and does not; 2 bad input
int main(int argc, char** argv);

}  // namespace handspan
