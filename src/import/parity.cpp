#include "import/parity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "robot/model.hpp"
#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void worsen(double& worst, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  if (A.size() == 0) return;
  worst = std::max(worst, (A - B).cwiseAbs().maxCoeff() / (1.0 + A.cwiseAbs().maxCoeff()));
}

class Comparison {
 public:
  explicit Comparison(const ModelDescription& description) : model_(description), data_(model_) {
    MjSpecPtr spec = make_spec();
    add_to_spec(spec.get(), description, 0);
    mj_model_ = compile_spec(spec.get(), description.name);
    // the engines' unconstrained dynamics are compared: no contacts, limits or friction
    mj_model_->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    Eigen::Vector3d::Map(mj_model_->opt.gravity) = model_.gravity();
    mj_data_.reset(mj_makeData(mj_model_.get()));
    state_ = std::make_unique<MujocoState>(*mj_model_, model_);
  }

  const RobotModel& model() const { return model_; }

  void compare(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Parity& parity) {
    state_->write(q, v, *mj_data_);
    mj_forward(mj_model_.get(), mj_data_.get());
    update_kinematics(model_, data_, q, v);
    compare_dynamics(q, v, parity);
    for (const auto& frame : model_.description().frames)
      compare_frame(frame.name, mjOBJ_SITE, v, parity);
    for (const auto& body : model_.description().bodies)
      compare_frame(body.name, mjOBJ_BODY, v, parity);
    compare_constraints(q, v, parity);
    ++parity.states;
  }

 private:
  // columns or rows of MuJoCo's dofs in our order, in our velocity coordinates
  Eigen::MatrixXd our_columns(const RowMatrix& full) const {
    Eigen::MatrixXd out(full.rows(), model_.nv());
    for (int i = 0; i < model_.nv(); ++i)
      out.col(i) = full.col(state_->dofs()[static_cast<std::size_t>(i)]);
    return out * state_->velocity_map(*mj_data_);
  }

  void compare_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Parity& parity) {
    const Eigen::Index n = mj_model_->nv;
    const Eigen::MatrixXd T = state_->velocity_map(*mj_data_);
    RowMatrix M(n, n);
    mj_fullM(mj_model_.get(), mj_data_.get(), M.data());
    const Eigen::MatrixXd half = our_columns(M);
    worsen(parity.mass_matrix, mass_matrix(model_, data_, q), our_columns(half.transpose()));

    // qacc = T v' + dT/dt v: a free joint's linear velocity turns with the body
    Eigen::VectorXd turning = Eigen::VectorXd::Zero(n);
    for (const auto& joint : model_.joints())
      if (joint.type == JointType::kFree) {
        const Eigen::Vector3d w = v.segment<3>(joint.v + 3);
        const Eigen::Vector3d cross = w.cross(Eigen::Vector3d(v.segment<3>(joint.v)));
        turning.segment<3>(state_->dofs()[static_cast<std::size_t>(joint.v)]) =
            T.block<3, 3>(joint.v, joint.v) * cross;
      }
    const Eigen::VectorXd bias = M * turning + Eigen::VectorXd::Map(mj_data_->qfrc_bias, n);
    worsen(parity.nonlinear_effects, nonlinear_effects(model_, data_, q, v),
           our_columns(bias.transpose()).transpose());
  }

  void compare_frame(const std::string& name, mjtObj type, const Eigen::VectorXd& v,
                     Parity& parity) {
    const FrameId frame = model_.frame(name);
    const int id = mj_name2id(mj_model_.get(), type, name.c_str());
    const bool site = type == mjOBJ_SITE;
    const mjtNum* p = (site ? mj_data_->site_xpos : mj_data_->xpos) + 3 * id;
    const mjtNum* R = (site ? mj_data_->site_xmat : mj_data_->xmat) + 9 * id;
    const Pose X = frame_pose(model_, data_, frame);
    worsen(parity.frame_positions, X.p, Eigen::Vector3d::Map(p));
    worsen(parity.frame_rotations, X.R, Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(R));

    RowMatrix J(6, mj_model_->nv), dJ(6, mj_model_->nv);
    const int body = site ? mj_model_->site_bodyid[id] : id;
    mj_jac(mj_model_.get(), mj_data_.get(), J.data(), J.data() + 3 * J.cols(), p, body);
    mj_jacDot(mj_model_.get(), mj_data_.get(), dJ.data(), dJ.data() + 3 * dJ.cols(), p, body);
    Matrix6Xd ours(6, model_.nv());
    frame_jacobian(model_, data_, frame, ours);
    worsen(parity.jacobians, ours, our_columns(J));

    Eigen::VectorXd turning = Eigen::VectorXd::Zero(mj_model_->nv);
    for (const auto& joint : model_.joints())
      if (joint.type == JointType::kFree)
        turning.segment<3>(state_->dofs()[static_cast<std::size_t>(joint.v)]) =
            state_->velocity_map(*mj_data_).block<3, 3>(joint.v, joint.v) *
            Eigen::Vector3d(v.segment<3>(joint.v + 3))
                .cross(Eigen::Vector3d(v.segment<3>(joint.v)));
    const Eigen::VectorXd bias =
        dJ * Eigen::VectorXd::Map(mj_data_->qvel, mj_model_->nv) + J * turning;
    worsen(parity.bias_accelerations, frame_bias_acceleration(model_, data_, frame), bias);
  }

  void compare_constraints(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Parity& parity) {
    const auto mimics = static_cast<Eigen::Index>(model_.description().mimics.size());
    if (mimics == 0 || mj_data_->nefc < mimics) return;
    const Eigen::Index rows = model_.constraint_rows();
    Eigen::MatrixXd A(rows, model_.nv());
    Eigen::VectorXd b(rows), e(rows);
    constraint_rows(model_, data_, q, v, A, b, e);
    // MuJoCo puts equality rows first, in our order; its Jacobian may be stored sparse
    RowMatrix efc = RowMatrix::Zero(mimics, mj_model_->nv);
    for (Eigen::Index r = 0; r < mimics; ++r) {
      if (!mj_isSparse(mj_model_.get())) {
        efc.row(r) = Eigen::RowVectorXd::Map(mj_data_->efc_J + r * mj_model_->nv, mj_model_->nv);
        continue;
      }
      for (int k = 0; k < mj_data_->efc_J_rownnz[r]; ++k) {
        const int address = mj_data_->efc_J_rowadr[r] + k;
        efc(r, mj_data_->efc_J_colind[address]) = mj_data_->efc_J[address];
      }
    }
    worsen(parity.constraint_rows, A.topRows(mimics), our_columns(efc));
    worsen(parity.constraint_rows, e.head(mimics), Eigen::VectorXd::Map(mj_data_->efc_pos, mimics));
  }

  RobotModel model_;
  RobotData data_;
  MjModelPtr mj_model_;
  MjDataPtr mj_data_;
  std::unique_ptr<MujocoState> state_;
};

}  // namespace

double Parity::worst() const {
  return std::max({mass_matrix, nonlinear_effects, frame_positions, frame_rotations, jacobians,
                   bias_accelerations, constraint_rows});
}

std::string Parity::summary() const {
  return fmt::format(
      "mass matrix {:.1e}, nonlinear effects {:.1e}, frames {:.1e} and {:.1e}, Jacobians {:.1e}, "
      "their rates {:.1e}"
      " at {} states",
      mass_matrix, nonlinear_effects, frame_positions, frame_rotations, jacobians,
      bias_accelerations, states);
}

Parity compare_engines(const ModelDescription& description, int states, std::uint64_t seed) {
  Comparison comparison(description);
  const RobotModel& model = comparison.model();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  Parity parity;
  Eigen::VectorXd q(model.nq()), v(model.nv());
  for (int k = 0; k < states; ++k) {
    for (auto& x : q) x = 2.0 * unit(random);
    for (auto& x : v) x = unit(random);
    for (const auto& joint : model.joints()) {
      if (joint.type != JointType::kFree && joint.type != JointType::kBall) continue;
      const int at = joint.q + (joint.type == JointType::kFree ? 3 : 0);
      for (int i = 0; i < 4; ++i) q[at + i] = normal(random);
      q.segment<4>(at).normalize();
    }
    comparison.compare(q, v, parity);
  }
  return parity;
}

}  // namespace handspan
