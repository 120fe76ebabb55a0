#include "learn/promp_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "core/config.hpp"
#include "core/error.hpp"

namespace handspan {
namespace {

using Eigen::Index;

constexpr const char* kFormat = "handspan promp";

struct HandKeys {
  std::string name;
  Eigen::Matrix3d mean_orientation = Eigen::Matrix3d::Identity();
};

struct BoxKeys {
  std::vector<std::string> axes;
  Eigen::Matrix3d mean_orientation = Eigen::Matrix3d::Identity();
};

struct MovementKeys {
  std::string name;
  std::int64_t weights = 0, beyond = 0;
  double overlap = 0.0;
  double duration = 0.0;
  std::int64_t demonstrations = 0;
  std::int64_t freedom = 0;
  double prediction = 1.0;
  Located<Eigen::VectorXd> mean;
  Located<std::vector<Located<Eigen::VectorXd>>> covariance;
};

struct FileKeys {
  std::string format;
  std::int64_t version = 0;
  std::vector<Located<HandKeys>> hands;
  std::optional<BoxKeys> box;
  std::vector<Located<MovementKeys>> movements;
};

constexpr int kMostWeights = 200;

// rows of a matrix and not a quaternion, so that it comes back to the bit
Schema<Eigen::Matrix3d> orientation_schema() {
  return matrix3().check(
      [](const Eigen::Matrix3d& R) -> std::optional<Fault> {
        if (R.determinant() > 0.0 && (R * R.transpose()).isIdentity(1e-9)) return std::nullopt;
        return Fault{"is no rotation", "its rows must be unit, at right angles, and right-handed"};
      },
      "a rotation");
}

ObjectSchema<MovementKeys> movement_schema() {
  return object<MovementKeys>("Movement", "one learned movement")
      .required("name", &MovementKeys::name, text().identifier(), "such as ante or post")
      .required("weights", &MovementKeys::weights, integer().min(2).max(kMostWeights),
                "functions of a dimension")
      .required("beyond", &MovementKeys::beyond, integer().min(0).max(kMostWeights),
                "of them, centres before the start and after the end")
      .required("overlap", &MovementKeys::overlap, number().above(0).below(1), "of neighbours")
      .required("duration", &MovementKeys::duration, number("s").above(0), "mean of those learned")
      .required("demonstrations", &MovementKeys::demonstrations, integer().min(2),
                "that it was learned from")
      .required("freedom", &MovementKeys::freedom, integer().min(1), "degrees of freedom")
      .required("prediction", &MovementKeys::prediction, number().min(1),
                "variance of a new demonstration over the covariance")
      .required("mean", &MovementKeys::mean, located(dynamic_vector()),
                "of weights, then of the box's axes")
      .required("covariance", &MovementKeys::covariance, located(list(located(dynamic_vector()))),
                "of the same")
      .check([](const MovementKeys& keys) -> std::optional<Fault> {
        if (keys.weights >= 2 + 2 * keys.beyond) return std::nullopt;
        return Fault{fmt::format("is {} with {} weights", keys.beyond, keys.weights),
                     "two at least must be from end to end", "beyond"};
      });
}

ObjectSchema<FileKeys> file_schema() {
  std::vector<std::string> axes(kPoseAxes.begin(), kPoseAxes.end());
  const auto hand =
      object<HandKeys>("Hand", "whose movement it is")
          .required("name", &HandKeys::name, text().identifier())
          .required("mean_orientation", &HandKeys::mean_orientation, orientation_schema());
  const auto box =
      object<BoxKeys>("Box", "what of its pose is context")
          .required("axes", &BoxKeys::axes, list(text().one_of(std::move(axes))).min_size(1))
          .required("mean_orientation", &BoxKeys::mean_orientation, orientation_schema());
  return object<FileKeys>("File", "learned movements")
      .required("format", &FileKeys::format, text().one_of({kFormat}))
      .required("version", &FileKeys::version, integer())
      .required("hands", &FileKeys::hands, list(located(hand)).min_size(1).max_size(8))
      .optional("box", &FileKeys::box, box)
      .required("movements", &FileKeys::movements, list(located(movement_schema())).min_size(1));
}

// Collected, so that a file that is wrong in several places says so at once.
class Faults {
 public:
  void add(const Place& place, std::string key, std::string cause, std::string hint) {
    issues_.push_back({place, std::move(key), std::move(cause), std::move(hint)});
  }
  void finish() {
    if (!issues_.empty()) throw ConfigError(std::move(issues_));
  }

 private:
  std::vector<Issue> issues_;
};

// before all else: what another version says may be spelled otherwise
void check_version(const Node& root) {
  const Node* version = root.find("version");
  if (!version || version->kind() != Node::Kind::kScalar ||
      version->scalar() == std::to_string(kPrompFileVersion))
    return;
  throw ConfigError({{version->place(), "version", version->predicate(),
                      fmt::format("this program reads version {}; learn the movement again with it",
                                  kPrompFileVersion)}});
}

Promp promp_of(const MovementKeys& keys, const std::string& key, std::size_t hands,
               std::size_t context, Faults& faults) {
  Promp promp;
  promp.dimensions = static_cast<int>(6 * hands);
  promp.basis = {static_cast<int>(keys.weights), static_cast<int>(keys.beyond), keys.overlap};
  promp.duration = keys.duration;
  promp.demonstrations = static_cast<int>(std::min<std::int64_t>(keys.demonstrations, 1 << 30));
  promp.freedom = static_cast<int>(std::min<std::int64_t>(keys.freedom, 1 << 30));
  promp.prediction = keys.prediction;
  const Index size = promp.weight_count() + static_cast<Index>(context);
  const std::string hint =
      fmt::format("{} hands of 6 dimensions with {} weights and {} axes of the box ask for {}",
                  hands, keys.weights, context, size);
  if (keys.mean.value.size() != size)
    faults.add(keys.mean.place, key + ".mean",
               fmt::format("has {} numbers", keys.mean.value.size()), hint);
  promp.mean = keys.mean.value;
  const auto& rows = keys.covariance.value;
  bool square = static_cast<Index>(rows.size()) == size;
  if (!square)
    faults.add(keys.covariance.place, key + ".covariance", fmt::format("has {} rows", rows.size()),
               hint);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].value.size() != size) {
      faults.add(rows[i].place, fmt::format("{}.covariance[{}]", key, i),
                 fmt::format("has {} numbers", rows[i].value.size()), hint);
      square = false;
    }
  if (!square) return promp;
  promp.covariance.resize(size, size);
  for (Index i = 0; i < size; ++i)
    promp.covariance.row(i) = rows[static_cast<std::size_t>(i)].value.transpose();
  if (const std::string fault = covariance_fault(promp.covariance); !fault.empty())
    faults.add(keys.covariance.place, key + ".covariance", fault,
               "the file was changed by hand or is of another program: learn the movement again");
  return promp;
}

template <class T>
void check_names(const std::vector<Located<T>>& all, const std::string& key, Faults& faults) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!names.insert(all[i].value.name).second)
      faults.add(all[i].place, fmt::format("{}[{}].name", key, i),
                 fmt::format("is '{}' once more", all[i].value.name),
                 "give each a name of its own");
}

std::vector<int> axis_indices(const std::vector<std::string>& axes) {
  std::vector<int> indices;
  for (const std::string& axis : axes)
    indices.push_back(static_cast<int>(std::ranges::find(kPoseAxes, axis) - kPoseAxes.begin()));
  return indices;
}

void put_numbers(std::string& out, const Eigen::Ref<const Eigen::VectorXd>& values) {
  out += '[';
  for (Index i = 0; i < values.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i > 0 ? ", " : "", values[i]);
  out += ']';
}

std::string orientation_text(const Eigen::Matrix3d& R) {
  std::string out = "[";
  for (int i = 0; i < 3; ++i)
    out += fmt::format("{}[{}, {}, {}]", i > 0 ? ", " : "", R(i, 0), R(i, 1), R(i, 2));
  return out + "]";
}

}  // namespace

PosePromp PrompFile::movement(const std::string& name) const {
  std::string known;
  for (const auto& [its, promp] : movements) {
    if (its == name) return {frames, promp};
    known += (known.empty() ? "" : ", ") + its;
  }
  throw InputError(fmt::format("there is no movement '{}'; there are: {}", name, known));
}

PrompFile promp_file(const ImpactPromps& movements) {
  return {movements.ante.frames, {{"ante", movements.ante.promp}, {"post", movements.post.promp}}};
}

std::string promp_text(const PrompFile& file) {
  std::string out = fmt::format("format: {}\nversion: {}\nhands:\n", kFormat, kPrompFileVersion);
  for (std::size_t h = 0; h < file.frames.hands.size(); ++h)
    out += fmt::format("  - {{name: {}, mean_orientation: {}}}\n", file.frames.hands[h],
                       orientation_text(file.frames.R_WM[h]));
  if (!file.frames.box_axes.empty()) {
    std::string axes;
    for (const int axis : file.frames.box_axes)
      axes += (axes.empty() ? "" : ", ") + std::string(kPoseAxes[static_cast<std::size_t>(axis)]);
    out += fmt::format("box: {{axes: [{}], mean_orientation: {}}}\n", axes,
                       orientation_text(file.frames.R_WM_box));
  }
  out += "movements:\n";
  for (const auto& [name, promp] : file.movements) {
    out += fmt::format(
        "  - name: {}\n    weights: {}\n    beyond: {}\n    overlap: {}\n    duration: {}\n    "
        "demonstrations: {}\n    freedom: "
        "{}\n    prediction: {}\n    mean: ",
        name, promp.basis.functions, promp.basis.beyond, promp.basis.overlap, promp.duration,
        promp.demonstrations, promp.freedom, promp.prediction);
    put_numbers(out, promp.mean);
    out += "\n    covariance:\n";
    for (Index i = 0; i < promp.covariance.rows(); ++i) {
      out += "      - ";
      put_numbers(out, promp.covariance.row(i).transpose());
      out += '\n';
    }
  }
  return out;
}

void write_promps(const std::filesystem::path& path, const PrompFile& file) {
  std::ofstream out(path, std::ios::binary);
  out << promp_text(file);
  out.close();
  if (!out)
    throw InputError(path.string() +
                     " cannot be written; give a file in a folder that is there and has room");
}

PrompFile parse_promps(std::string_view text, const std::string& name) {
  const Node root = parse_tree(text, name);
  check_version(root);
  const FileKeys keys = read_tree(root, name, file_schema());
  Faults faults;
  check_names(keys.hands, "hands", faults);
  check_names(keys.movements, "movements", faults);
  PrompFile file;
  for (const auto& hand : keys.hands) {
    file.frames.hands.push_back(hand.value.name);
    file.frames.R_WM.push_back(hand.value.mean_orientation);
  }
  if (keys.box) {
    file.frames.box_axes = axis_indices(keys.box->axes);
    file.frames.R_WM_box = keys.box->mean_orientation;
    for (std::size_t i = 1; i < file.frames.box_axes.size(); ++i)
      if (file.frames.box_axes[i] <= file.frames.box_axes[i - 1])
        faults.add(root.find("box")->place(), fmt::format("box.axes[{}]", i),
                   fmt::format("is '{}' after '{}'", keys.box->axes[i], keys.box->axes[i - 1]),
                   "give each once, in the order x, y, z, rx, ry, rz");
  }
  for (std::size_t i = 0; i < keys.movements.size(); ++i) {
    const MovementKeys& movement = keys.movements[i].value;
    file.movements.emplace_back(
        movement.name, promp_of(movement, fmt::format("movements[{}]", i), keys.hands.size(),
                                file.frames.box_axes.size(), faults));
  }
  faults.finish();
  return file;
}

PrompFile read_promps(const std::filesystem::path& path) {
  return parse_promps(read_text_file(path), path.string());
}

}  // namespace handspan
