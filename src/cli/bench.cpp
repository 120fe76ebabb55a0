// handspan bench: the project's performance figures, with the peers measured in the same run.
#include "bench/bench.hpp"

#include "cli/command.hpp"
#include "cli/end_signals.hpp"
#include "scene/data_folder.hpp"

namespace handspan {

void add_bench(CLI::App& cli, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  options->root = data_folder();
  CLI::App* command = cli.add_subcommand(
      "bench", "Measure what handspan costs, beside its engines called directly in the same run");
  command->add_option("--filter", options->filter, "regular expression on names of figures");
  command->add_option("--json", options->json, "write the figures to FILE")->type_name("FILE");
  command->add_option("--min-time", options->min_time, "measured time a figure and repetition [s]");
  command->add_option("--repetitions", options->repetitions,
                      "their batches count as one distribution");
  command->callback([options, &action] {
    action = [options] {
      end_at_once();  // each figure is printed as it is measured
      return run_benchmarks(*options);
    };
  });
}

}  // namespace handspan
