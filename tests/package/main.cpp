// handspan with parts of one's own, each in a file of this folder that adds them to the parts of
// the program.
#include <handspan/cli/main.hpp>
#include <handspan/skills/built_in.hpp>

void register_sag(handspan::Parts& parts);
void register_circle(handspan::Parts& parts);
void register_greet(handspan::Parts& parts);
void register_ideal(handspan::Parts& parts);
void register_steps(handspan::Parts& parts);
void register_dice(handspan::Parts& parts);
void register_nod(handspan::Parts& parts);
void register_twist(handspan::Parts& parts);
void register_damped_least_squares(handspan::Parts& parts);
void register_exporter(handspan::Parts& parts);

int main(int argc, char** argv) {
  handspan::Parts parts = handspan::built_in_parts();
  register_sag(parts);
  register_circle(parts);
  register_greet(parts);
  register_ideal(parts);
  register_steps(parts);
  register_dice(parts);
  register_nod(parts);
  register_twist(parts);
  register_exporter(parts);
  // it knows the tasks that are there by now
  register_damped_least_squares(parts);
  return handspan::main(argc, argv, parts);
}
