#pragma once
// The readers that handspan has, and which one a file is for.
#include <filesystem>
#include <memory>
#include <string>

#include "data/data_reader.hpp"

namespace handspan {

void register_hdf5_readers(DataReaderRegistry& readers);    // hdf5, robomimic
void register_lerobot_reader(DataReaderRegistry& readers);  // lerobot

/// csv, parquet, hdf5, robomimic, lerobot.
void register_data_readers(DataReaderRegistry& readers);

/// The reader whose name a path tells by itself: a folder of LeRobot's, a file that ends in .csv,
/// .parquet, .hdf5 or .h5. @throws InputError with what there is when it tells none
std::string reader_for(const std::filesystem::path& path);
/// That reader of that path. @throws InputError when it cannot be read
std::unique_ptr<DataReader> open_data(const std::filesystem::path& path,
                                      const DataReaderRegistry& readers);

}  // namespace handspan
