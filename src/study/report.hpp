#pragma once
// A study's results as files: results.csv, summary.json, report.html, comparison.json
// when they were compared, and what it was run with.
#include <filesystem>
#include <string>

#include "study/figure_set.hpp"
#include "study/runner.hpp"

namespace handspan {

/// Everything that a study gave but the runs themselves, as JSON:
///   {"format": 1, "study", "title", "seed", "runs", "complete", "holds", "failed",
///    "columns": [{"name", "unit", "doc"}], "variations": [{"name", "unit"}],
///    "cells": [{"name", "runs", "good": count | null,
///               "good_share": {"value", "clopper_pearson", "wilson"} | null,
///               "statistics": {COLUMN: {"n", "mean", "deviation", "minimum", "median", "maximum",
///                                       "mean_interval", "deviation_interval"}}}],
///    "stages": [{"name", "values": {NAME: {"value", "unit"}}}],
///    "expectations": [{"what", "value", "lower", "upper", "limit", "asked", "holds"}],
///    "published": {"source", "rows": [{"what", "unit", "published", "ours", "lower", "upper",
///                  "difference", "difference_interval", "ratio", "ratio_interval"}]} | null,
///    "overrides": {KEY: VALUE}, "timing": {"wall", "inner", "simulated", "done", "resumed",
///    "workers"}, "machine": {"build", "compiler", "cpu", "cpu_features", "libraries"}}
/// SI; what is not finite is null. All but timing and machine is the same for the same study.
std::string summary_json(const StudyOutcome& outcome);

/// One HTML file that needs nothing else: verdict, figures, published table, statistics,
/// configuration, how to reproduce.
/// @param no_pictures why figures have no pictures; "": they have. The report says so
/// @param script figures-page.js, with which figures move; "": they stand still
std::string report_html(const StudyOutcome& outcome, const std::vector<DrawnFigure>& figures,
                        const std::string& no_pictures, const std::string& script);

/// Writes the files into `out`, with each figure in figures/ (NAME.csv, NAME.svg, NAME.pdf), and
/// the app as its first run had it in app.yaml (what that names is in files/), or the trial's
/// configuration in trial.yaml.
/// @param page where set-up puts figures-draw.mjs and figures-page.js
/// @throws InputError when one cannot be written
void write_report(const StudyRunner& runner, const StudyOutcome& outcome,
                  const std::filesystem::path& out, const std::filesystem::path& page);

}  // namespace handspan
