#include "core/build_info.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <vector>

namespace handspan {
namespace {

// Of the object that this code is in: the program, or what a program of others (Python) loaded.
int find_build_id(dl_phdr_info* info, std::size_t, void* result) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&find_build_id) - info->dlpi_addr;
  const std::span headers(info->dlpi_phdr, info->dlpi_phnum);
  if (std::ranges::none_of(headers, [&](const auto& header) {
        return header.p_type == PT_LOAD && here - header.p_vaddr < header.p_memsz;
      }))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* text = name + ((note.n_namesz + 3U) & ~3U);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        auto& id = *static_cast<std::string*>(result);
        for (unsigned b = 0; b < note.n_descsz; ++b)
          id += fmt::format("{:02x}", static_cast<unsigned char>(text[b]));
        return 1;
      }
      at = text + ((note.n_descsz + 3U) & ~3U);
    }
  }
  return 1;
}

std::string of_cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(find_build_id, &id);
  return id.empty() ? "unknown" : id;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string cpu_model() {
  const std::string model = of_cpuinfo("model name");
  return model.empty() ? "unknown" : model;
}

std::string cpu_features() {
  // by these the C library and BLAS pick their versions of sin, exp, memcpy ...
  const std::vector<std::string> known = {"sse4_1", "sse4_2",  "avx",      "avx2",  "fma", "fma4",
                                          "bmi2",   "avx512f", "avx512dq", "asimd", "sve"};
  std::istringstream flags(of_cpuinfo("flags") + " " + of_cpuinfo("Features"));
  std::vector<std::string> had;
  for (std::string flag; flags >> flag;)
    if (std::ranges::count(known, flag)) had.push_back(flag);
  std::ranges::sort(had);
  std::string text;
  for (const auto& flag : had) text += (text.empty() ? "" : " ") + flag;
  return text;
}

}  // namespace handspan
