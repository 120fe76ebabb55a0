// Any bytes as a configuration file, read by a schema with a key of each kind.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/config.hpp"

namespace {

struct Everything {
  std::string name;
  double stiffness = 0.0;
  std::int64_t count = 0;
  bool on = false;
  handspan::Rate rate;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::VectorXd values;
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace handspan;
  static const auto schema =
      object<Everything>("Everything", "one key of each kind")
          .required("name", &Everything::name, text(), "words")
          .optional("stiffness", &Everything::stiffness, number("N/m").above(0.0), "a number")
          .optional("count", &Everything::count, integer(), "an integer")
          .optional("on", &Everything::on, boolean(), "a boolean")
          .optional("rate", &Everything::rate, rate(), "a rate")
          .optional("p", &Everything::p, vector<3>("m"), "a vector")
          .optional("values", &Everything::values, dynamic_vector(), "many")
          .optional("matrix", &Everything::matrix, matrix3(), "a matrix")
          .optional("q", &Everything::q, quaternion(), "a quaternion");
  try {
    parse_yaml(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml", schema);
  } catch (const InputError& error) {
    if (*error.what() == '\0') __builtin_trap();  // an error has words
  }
  return 0;
}
