// handspan bench: the project's performance figures, by a program of their own (bench/main.cpp), so
// that who only runs arms need not build them.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/command.hpp"
#include "core/error.hpp"

namespace handspan {

void add_bench(CLI::App& cli, Action& action) {
  CLI::App* command = cli.add_subcommand(
      "bench", "Measure what handspan costs, beside its engines called directly in the same run");
  // all that follows is that program's, its help too
  command->prefix_command();
  command->set_help_flag("");
  command->callback([command, &action] {
    action = [command](const Parts&) -> int {
      const auto program =
          std::filesystem::read_symlink("/proc/self/exe").parent_path() / "handspan-bench";
      if (!std::filesystem::exists(program))
        throw InputError(
            fmt::format("{}: the benchmarks are a program of their own, which is not "
                        "built here; `./run bench` in the source tree builds it",
                        program.string()));
      std::vector<std::string> words = {program.string()};
      for (const std::string& word : command->remaining()) words.push_back(word);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      throw InputError(fmt::format("{} cannot be run: {}", program.string(), std::strerror(errno)));
    };
  });
}

}  // namespace handspan
