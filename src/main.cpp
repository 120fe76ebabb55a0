#include "cli/main.hpp"
#include "skills/built_in.hpp"

int main(int argc, char** argv) {
  const handspan::Parts parts = handspan::built_in_parts();
  return handspan::main(argc, argv, parts);
}
