// A mode, `greet`: says something into the log.
#include <handspan/core/parts.hpp>
#include <handspan/core/values.hpp>
#include <handspan/session/mode.hpp>

using namespace handspan;

namespace {

struct GreetConfig {
  std::string words;
};

class Greet : public Mode {
 public:
  explicit Greet(const GreetConfig& config) : config_(config) {}
  void enter(const ModeMoment& at) override { at.events.add("greeting", "example", config_.words); }
  bool update(const ModeMoment&) override { return true; }
  std::string text() const override { return "says '" + config_.words + "'"; }
  std::vector<std::string> drives() const override { return {}; }

 private:
  GreetConfig config_;
};

}  // namespace

void register_greet(Parts& parts) {
  parts.of<ModeRegistry>().add(
      "greet", object<GreetConfig>("Greet").required("words", &GreetConfig::words, text()),
      "says something into the log", [](const GreetConfig& config, const ModeContext&) {
        return std::make_unique<Greet>(config);
      });
}
