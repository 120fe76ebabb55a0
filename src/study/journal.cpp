#include "study/journal.hpp"

#include <fmt/format.h>
#include <sys/file.h>
// all of it inline: no library to link
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

// JSON has no NaN
Json json_of(const RunRecord& run) {
  Json values = Json::array();
  for (const double value : run.values)
    values.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return {{"run", run.number}, {"values", values}, {"failure", run.failure}};
}

RunRecord record_of(const Json& json) {
  RunRecord run;
  run.number = json.at("run").get<int>();
  for (const Json& value : json.at("values"))
    run.values.push_back(value.is_null() ? NAN : value.get<double>());
  run.failure = json.at("failure").get<std::string>();
  return run;
}

}  // namespace

std::string fingerprint_of(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

Journal::Journal(std::filesystem::path file, const std::string& fingerprint, bool fresh)
    : file_(std::move(file)) {
  out_.reset(std::fopen(file_.c_str(), "ab"));
  if (!out_) throw InputError(fmt::format("{}: cannot be written", file_.string()));
  if (flock(fileno(out_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError(
        fmt::format("{}: another handspan does a study into this folder; wait until it has ended, "
                    "or choose another --out",
                    file_.string()));
  std::uintmax_t good = 0;  // bytes that stay
  if (!fresh) {
    std::ifstream in(file_, std::ios::binary);
    bool head = true;
    for (std::string line; std::getline(in, line) && !in.eof(); good += line.size() + 1) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_discarded()) break;
      try {
        if (head && json.at("study").get<std::string>() != fingerprint)
          throw InputError(fmt::format(
              "{}: it holds runs of another study, of other parameters or of another build; finish "
              "that one, choose another --out, or say --fresh to forget them",
              file_.string()));
        if (!head) {
          RunRecord run = record_of(json);
          done_.insert_or_assign(run.number, std::move(run));
        }
      } catch (const Json::exception&) {
        break;
      }
      head = false;
    }
  }
  std::filesystem::resize_file(file_, good);
  if (good > 0) return;
  fmt::print(out_.get(), "{}\n", Json{{"study", fingerprint}}.dump());
  std::fflush(out_.get());
}

void Journal::add(const RunRecord& run) {
  const std::string line = json_of(run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::scoped_lock lock(mutex_);
  if (std::fwrite(line.data(), 1, line.size(), out_.get()) != line.size() ||
      std::fflush(out_.get()) != 0)
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", file_.string()));
}

void Journal::remove() {
  std::error_code none;
  std::filesystem::remove(file_, none);
  out_.reset();
}

}  // namespace handspan
