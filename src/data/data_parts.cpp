#include "data/data_parts.hpp"

#include "data/data_readers.hpp"
#include "data/dataset_exporter.hpp"
#include "data/table_exporters.hpp"

namespace handspan {

void register_data(Parts& parts) {
  ExporterRegistry& exporters = parts.of<ExporterRegistry>();
  register_table_exporters(exporters);
  register_dataset_exporters(exporters);
  register_data_readers(parts.of<DataReaderRegistry>());
}

}  // namespace handspan
