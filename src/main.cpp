#include "cli/main.hpp"

int main(int argc, char** argv) { return handspan::main(argc, argv); }
