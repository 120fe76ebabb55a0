#pragma once
// Logs as tables: one a channel, or one an episode.
#include "data/exporter.hpp"

namespace handspan {

/// csv, parquet.
void register_table_exporters(ExporterRegistry& exporters);

}  // namespace handspan
