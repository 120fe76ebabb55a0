#include "data/data_rotation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "math/so3.hpp"

namespace handspan {
namespace {

// by which a norm or a product of axes may be off: more is another layout, or other columns
constexpr double kOff = 0.01;

std::optional<Eigen::Matrix3d> of_quaternion(const Eigen::Vector4d& xyzw, std::string& fault) {
  if (std::abs(xyzw.norm() - 1.0) <= kOff) return quaternion_from_xyzw(xyzw).toRotationMatrix();
  fault = fmt::format("its quaternion has the norm {:.4g}, and not 1", xyzw.norm());
  return std::nullopt;
}

// of two axes that stand at right angles, but for rounding; as rows
std::optional<Eigen::Matrix3d> of_axes(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                       std::string& fault) {
  if (std::abs(a.norm() - 1.0) > kOff || std::abs(b.norm() - 1.0) > kOff ||
      std::abs(a.dot(b)) > kOff) {
    fault = fmt::format(
        "its two axes have the lengths {:.4g} and {:.4g} and the product {:.4g}, and not 1, 1 and "
        "0",
        a.norm(), b.norm(), a.dot(b));
    return std::nullopt;
  }
  Eigen::Matrix3d R;
  R.row(0) = a.normalized().transpose();
  R.row(1) = (b - R.row(0).dot(b) * R.row(0).transpose()).normalized().transpose();
  R.row(2) = R.row(0).cross(R.row(1));
  return R;
}

std::optional<Eigen::Matrix3d> of_matrix(const Eigen::Matrix3d& M, std::string& fault) {
  const double off = (M * M.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (off <= kOff && M.determinant() > 0.0) return nearest_rotation(M);
  fault = off <= kOff ? std::string("its matrix is a mirror image, not a turn")
                      : fmt::format("its matrix is off by {:.4g} from a rotation", off);
  return std::nullopt;
}

}  // namespace

std::size_t rotation_size(RotationLayout layout) {
  switch (layout) {
    case RotationLayout::kXyzw:
    case RotationLayout::kWxyz:
      return 4;
    case RotationLayout::kRotationVector:
    case RotationLayout::kRpy:
      return 3;
    case RotationLayout::kRows6d:
    case RotationLayout::kColumns6d:
      return 6;
    case RotationLayout::kMatrix:
      break;
  }
  return 9;
}

std::optional<Eigen::Matrix3d> rotation_of(RotationLayout layout, std::span<const double> x,
                                           std::string& fault) {
  switch (layout) {
    case RotationLayout::kXyzw:
      return of_quaternion({x[0], x[1], x[2], x[3]}, fault);
    case RotationLayout::kWxyz:
      return of_quaternion({x[1], x[2], x[3], x[0]}, fault);
    case RotationLayout::kRotationVector:
      return exp_so3(Eigen::Vector3d(x[0], x[1], x[2]));
    case RotationLayout::kRpy:
      return rotation_from_rpy({x[0], x[1], x[2]});
    case RotationLayout::kRows6d:
      return of_axes({x[0], x[1], x[2]}, {x[3], x[4], x[5]}, fault);
    case RotationLayout::kColumns6d: {
      const auto rows = of_axes({x[0], x[1], x[2]}, {x[3], x[4], x[5]}, fault);
      if (!rows) return std::nullopt;
      return Eigen::Matrix3d(rows->transpose());
    }
    case RotationLayout::kMatrix:
      break;
  }
  return of_matrix(Eigen::Matrix<double, 3, 3, Eigen::RowMajor>(
                       Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data())),
                   fault);
}

}  // namespace handspan
