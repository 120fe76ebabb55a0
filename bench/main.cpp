// handspan-bench: the project's performance figures, with the peers measured in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "bench/bench.hpp"
#include "core/error.hpp"
#include "scene/data_folder.hpp"
#include "skills/built_in.hpp"

int main(int argc, char** argv) {
  constexpr int kMeasuredNotMet = 1, kBadInput = 2;
  CLI::App cli(
      "Measure what handspan costs, beside its engines called directly in the same run.\n"
      "Exit code 0: every target that was measured is met; 1: one is not; 2: bad input.",
      "handspan bench");
  handspan::BenchOptions options;
  cli.add_option("--filter", options.filter, "regular expression on names of figures");
  cli.add_option("--json", options.json, "write the figures to FILE")->type_name("FILE");
  cli.add_option("--min-time", options.min_time, "measured time a figure and repetition [s]");
  cli.add_option("--repetitions", options.repetitions, "their batches count as one distribution");
  try {
    cli.parse(argc, argv);
    options.root = handspan::data_folder();
    return handspan::run_benchmarks(options, handspan::built_in_parts());
  } catch (const CLI::ParseError& e) {
    return cli.exit(e) == 0 ? 0 : kBadInput;
  } catch (const handspan::InputError& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return kBadInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return kMeasuredNotMet;
  }
}
