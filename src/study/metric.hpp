#pragma once
// What is measured in a run of an app: metrics register by name with a schema,
// see every tick, and give numbers at the end. They change nothing.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "session/session.hpp"
#include "study/column.hpp"

namespace handspan {

/// What a metric is made for, before the first tick. The session outlives it.
struct MetricContext {
  Session& session;
};

class Metric {
 public:
  static constexpr char kKind[] = "metric";

  virtual ~Metric() = default;
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;
  Metric() = default;

  /// What it gives, the same in every run. A name is put after the metric's own and a dot; "": the
  /// metric's own is the column's.
  virtual std::vector<Column> columns() const = 0;
  /// After each tick. Allocates and throws nothing.
  virtual void after_tick(Session& session) noexcept = 0;
  /// Whether it has seen what it waits for; nullopt: it waits for nothing. A run ends when all that
  /// wait are done.
  virtual std::optional<bool> done() const noexcept { return std::nullopt; }
  /// At the end: one a column, NaN for what did not happen.
  virtual void values(Session& session, std::span<double> into) = 0;
};

using MetricRegistry = Registry<Metric, const MetricContext&>;

}  // namespace handspan
