#include "study/study_parts.hpp"

#include "study/attempts_stage.hpp"
#include "study/bands_stage.hpp"
#include "study/best_stage.hpp"
#include "study/channel_metric.hpp"
#include "study/correlation_stage.hpp"
#include "study/figure_arrows.hpp"
#include "study/figure_bars.hpp"
#include "study/figure_boxes.hpp"
#include "study/figure_curve.hpp"
#include "study/figure_ellipses.hpp"
#include "study/figure_heat_map.hpp"
#include "study/figure_path.hpp"
#include "study/figure_picture.hpp"
#include "study/figure_table.hpp"
#include "study/figure_time_series.hpp"
#include "study/figure_tree.hpp"
#include "study/first_order_stage.hpp"
#include "study/friedman_stage.hpp"
#include "study/object_metric.hpp"
#include "study/paired_stage.hpp"
#include "study/ratio_stage.hpp"
#include "study/singular_trial.hpp"
#include "study/throws_trial.hpp"
#include "study/trend_stage.hpp"
#include "study/walls_trial.hpp"

namespace handspan {

void register_study(Parts& parts) {
  MetricRegistry& metrics = parts.of<MetricRegistry>();
  register_channel_metric(metrics);
  register_object_metric(metrics);
  TrialRegistry& trials = parts.of<TrialRegistry>();
  register_singular_trial(trials);
  register_throws_trial(trials);
  register_walls_trial(trials);
  StageRegistry& stages = parts.of<StageRegistry>();
  register_attempts_stage(stages);
  register_bands_stage(stages);
  register_best_stage(stages);
  register_correlation_stage(stages);
  register_first_order_stage(stages);
  register_friedman_stage(stages);
  register_paired_stage(stages);
  register_ratio_stage(stages);
  register_trend_stage(stages);
  FigureRegistry& figures = parts.of<FigureRegistry>();
  register_arrows_figure(figures);
  register_bars_figure(figures);
  register_boxes_figure(figures);
  register_curve_figure(figures);
  register_ellipses_figure(figures);
  register_heat_map_figure(figures);
  register_path_figure(figures);
  register_picture_figure(figures);
  register_table_figure(figures);
  register_time_series_figure(figures);
  register_tree_figure(figures);
}

}  // namespace handspan
