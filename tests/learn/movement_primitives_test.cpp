// Our movement primitives beside those of the Python package movement_primitives, to 1e-9.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "learn/promp_condition.hpp"

namespace handspan {
namespace movement_primitives_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::json;

Json rows(const MatrixXd& m) {
  Json out = Json::array();
  for (Index i = 0; i < m.rows(); ++i) {
    out.push_back(Json::array());
    for (Index j = 0; j < m.cols(); ++j) out.back().push_back(m(i, j));
  }
  return out;
}

Json numbers(const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); }

Promp any_promp(int dimensions, int weights, std::uint64_t seed) {
  RandomStream random(seed, "promp");
  Promp promp;
  promp.dimensions = dimensions;
  promp.basis = {weights, 0, 0.7};
  promp.mean.resize(promp.weight_count());
  for (double& x : promp.mean) x = random.normal();
  MatrixXd root(promp.weight_count(), promp.weight_count());
  for (double& x : root.reshaped()) x = random.normal(0.0, 0.2);
  promp.covariance = root * root.transpose() +
                     0.01 * MatrixXd::Identity(promp.weight_count(), promp.weight_count());
  return promp;
}

Json of(const Promp& promp) {
  return {{"dimensions", promp.dimensions},
          {"weights", promp.basis.functions},
          {"mean", numbers(promp.mean)},
          {"covariance", rows(promp.covariance)}};
}

// What the package finds otherwise, and how many numbers agree; "": it is not there.
std::string compared(const Json& cases) {
  const std::filesystem::path source(HANDSPAN_SOURCE_DIR);
  const auto file = std::filesystem::temp_directory_path() /
                    ("handspan_promp_" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << cases;
  const std::string command = (source / ".deps/venv/bin/python").string() + " " +
                              (source / "tests/learn/check_promp.py").string() + " " +
                              file.string() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int code = WEXITSTATUS(pclose(pipe));
  std::filesystem::remove(file);
  return code == 3 || code == 127 ? "" : text;
}

void expect_agreement(const Json& cases, Index count) {
  const std::string said = compared(cases);
  if (said.empty()) GTEST_SKIP() << "there is no movement_primitives: tools/setup --test";
  EXPECT_EQ(said, std::to_string(count) + " agree\n");
}

// the package's functions with another overlap, at the phases that ours go through
TEST(AsMovementPrimitives, Basis) {
  Json cases = Json::array();
  for (const BasisShape& shape : {BasisShape{10, 0, 0.7}, BasisShape{}, BasisShape{14, 3, 0.9}}) {
    const PhaseBasis basis(shape);
    MatrixXd values(shape.functions, 11), slopes(shape.functions, 11);
    Json phases = Json::array();
    const double span = shape.functions - 1 - 2 * shape.beyond;
    for (int i = 0; i <= 10; ++i) {
      VectorXd value(shape.functions), slope(shape.functions);
      basis.at(0.1 * i, value, slope);
      values.col(i) = value;
      slopes.col(i) = slope * (shape.functions - 1) / span;
      phases.push_back((shape.beyond + 0.1 * i * span) / (shape.functions - 1));
    }
    cases.push_back({{"what", "basis"},
                     {"weights", shape.functions},
                     {"overlap", shape.overlap},
                     {"phases", phases},
                     {"ours", {{"values", rows(values)}, {"slopes", rows(slopes)}}}});
  }
  expect_agreement(cases, 22 * (10 + 10 + 14));
}

TEST(AsMovementPrimitives, WeightsByRidgeRegression) {
  Json cases = Json::array();
  Index count = 0;
  for (const auto& [samples, dimensions, weights] :
       std::vector<std::array<int, 3>>{{50, 1, 5}, {200, 3, 10}, {77, 12, 20}}) {
    RandomStream random(static_cast<std::uint64_t>(samples), "demonstration");
    PrompDemonstration d;
    d.positions.resize(samples, dimensions);
    for (int i = 0; i < samples; ++i) {
      d.times.push_back(i == 0 ? 0.0 : d.times.back() + random.uniform(0.005, 0.015));
      for (int k = 0; k < dimensions; ++k)
        d.positions(i, k) = std::sin(0.1 * i + k) + 0.01 * random.normal();
    }
    PrompOptions options;
    options.basis = {weights, 0, 0.7};
    options.ridge = 1e-6;
    const VectorXd w = promp_weights(d, options);
    count += w.size();
    cases.push_back({{"what", "regression"},
                     {"times", d.times},
                     {"positions", rows(d.positions)},
                     {"weights", weights},
                     {"ridge", options.ridge},
                     {"ours", {{"weights", numbers(w)}}}});
  }
  expect_agreement(cases, count);
}

TEST(AsMovementPrimitives, MeansAndCovariancesOverTime) {
  Json cases = Json::array();
  const std::vector<double> phases = {0.0, 0.1, 0.2345, 0.5, 0.77, 1.0};
  Index count = 0;
  for (const auto& [dimensions, weights] :
       std::vector<std::array<int, 2>>{{1, 10}, {12, 10}, {2, 25}}) {
    const Promp promp = any_promp(dimensions, weights, 3);
    const MatrixXd deviations = position_deviations(promp, phases);
    Json ours = {{"position", rows(positions_of(promp, promp.mean, phases))},
                 {"velocity", rows(velocities_of(promp, promp.mean, phases, 1.0))},
                 {"position_covariance", rows(position_covariance(promp, phases))},
                 {"velocity_covariance", rows(velocity_covariance(promp, phases, 1.0))},
                 {"variance", rows(deviations.cwiseAbs2())}};
    const Index all = Index{dimensions} * static_cast<Index>(phases.size());
    count += 3 * all + 2 * all * all;
    cases.push_back(
        {{"what", "over_time"}, {"promp", of(promp)}, {"phases", phases}, {"ours", ours}});
  }
  expect_agreement(cases, count);
}

TEST(AsMovementPrimitives, Conditioning) {
  Json cases = Json::array();
  Index count = 0;
  for (const auto& [dimensions, weights, variance] :
       std::vector<std::tuple<int, int, double>>{{1, 10, 0.0}, {3, 10, 0.01}, {12, 10, 0.001}}) {
    const Promp promp = any_promp(dimensions, weights, 5);
    RandomStream random(9, "point");
    Json points = Json::array();
    Promp given = promp;
    for (const double phase : {0.3, 1.0}) {
      ViaPoint via;
      via.phase = phase;
      via.position.resize(dimensions);
      for (double& x : via.position) x = random.normal();
      if (variance > 0.0) via.covariance = variance * MatrixXd::Identity(dimensions, dimensions);
      given = conditioned(given, via);
      points.push_back(
          {{"phase", phase},
           {"position", numbers(via.position)},
           {"covariance", rows(variance * MatrixXd::Identity(dimensions, dimensions))}});
    }
    const Index n = promp.weight_count();
    count += n + n * n;
    cases.push_back(
        {{"what", "conditioning"},
         {"promp", of(promp)},
         {"points", points},
         {"ours", {{"mean", numbers(given.mean)}, {"covariance", rows(given.covariance)}}}});
  }
  expect_agreement(cases, count);
}

}  // namespace movement_primitives_test
}  // namespace handspan
