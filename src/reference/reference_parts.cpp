#include "reference/reference_parts.hpp"

#include <fmt/format.h>

#include "control/whole_arm.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "reference/direction_reference.hpp"
#include "reference/frame_reference.hpp"
#include "reference/joint_reference.hpp"
#include "reference/object_reference.hpp"
#include "reference/relative_reference.hpp"
#include "reference/twist_reference.hpp"
#include "reference/wrench_reference.hpp"

namespace handspan {
namespace {

template <class T>
T& task_of(const ReferenceContext& context, const char* what) {
  if (auto* task = dynamic_cast<T*>(&context.task)) return *task;
  throw InputError(fmt::format("the task '{}' is not one of {}", context.task.name(), what));
}

struct JointReferenceConfig {
  bool jumps = false;
};

}  // namespace

void register_references(Parts& parts) {
  auto& kinds = parts.of<ReferenceRegistry>();
  kinds.add(std::string(kPoseKind), pose_reference_limits_schema(), "where a frame should be",
            [](const PoseReferenceLimits& limits, const ReferenceContext& context) {
              return std::make_unique<FrameReference>(task_of<FrameTask>(context, "a frame's pose"),
                                                      limits, context.arms);
            });
  kinds.add(std::string(kRelativePoseKind), pose_reference_limits_schema(),
            "where a frame should be in another one, or in an object",
            [](const PoseReferenceLimits& limits,
               const ReferenceContext& context) -> std::unique_ptr<Reference> {
              if (auto* task = dynamic_cast<ObjectPoseTask*>(&context.task))
                return std::make_unique<ObjectReference>(*task, limits, context.arms);
              return std::make_unique<RelativeReference>(
                  task_of<RelativePoseTask>(context, "one frame in another or in an object"),
                  limits, context.arms);
            });
  kinds.add(std::string(kDirectionKind), direction_reference_limits_schema(),
            "where an axis of a frame should point",
            [](const DirectionReferenceLimits& limits, const ReferenceContext& context) {
              return std::make_unique<DirectionReference>(
                  task_of<DirectionTask>(context, "an axis of a frame"), limits);
            });
  kinds.add(std::string(kJointsKind),
            object<JointReferenceConfig>("JointReference")
                .optional("jumps", &JointReferenceConfig::jumps,
                          boolean().check([](bool jumps) -> std::optional<Fault> {
                            if (!jumps) return std::nullopt;
                            return Fault{"is true",
                                         "a reference of joints takes no jumps, its limits are the "
                                         "joints' own: leave it out, or move a pose"};
                          }),
                          "it takes none"),
            "where joints should be; its limits are the joints' own",
            [](const JointReferenceConfig&, const ReferenceContext& context) {
              return std::make_unique<JointReference>(task_of<PostureTask>(context, "joints"),
                                                      context.arms);
            });
  kinds.add(std::string(kTwistKind), twist_reference_limits_schema(),
            "how fast a frame should move",
            [](const TwistReferenceLimits& limits, const ReferenceContext& context) {
              return std::make_unique<TwistReference>(
                  task_of<TwistTask>(context, "a frame's twist"), limits, context.arms);
            });
  kinds.add(std::string(kWrenchKind), wrench_reference_limits_schema(),
            "how hard a loop closure should press",
            [](const WrenchReferenceLimits& limits, const ReferenceContext& context) {
              if (context.arms == nullptr)
                throw InputError(
                    fmt::format("'{}' is of a loop closure, which only the whole-arm QP has; leave "
                                "the type of whole_arm out",
                                context.task.name()));
              return std::make_unique<WrenchReference>(
                  task_of<WrenchTask>(context, "a loop closure's wrench"), context.arms->state(),
                  limits, context.arms);
            });
}

}  // namespace handspan
