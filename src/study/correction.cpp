#include "study/correction.hpp"

#include <algorithm>
#include <cmath>

#include "core/values.hpp"

namespace handspan {

const char* name_of(Correction correction) {
  constexpr const char* kNames[] = {"none", "bonferroni", "holm", "benjamini_hochberg"};
  return kNames[static_cast<std::size_t>(correction)];
}

Schema<Correction> correction_schema() {
  return choice<Correction>({{"none", Correction::kNone},
                             {"bonferroni", Correction::kBonferroni},
                             {"holm", Correction::kHolm},
                             {"benjamini_hochberg", Correction::kBenjaminiHochberg}});
}

std::vector<double> corrected(Correction correction, std::span<const double> p) {
  std::vector<double> out(p.begin(), p.end());
  std::vector<std::size_t> order;  // of the finite ones, the smallest first
  for (std::size_t i = 0; i < p.size(); ++i)
    if (std::isfinite(p[i])) order.push_back(i);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  const std::size_t m = order.size();
  const auto times = [&](std::size_t rank, double factor) { return p[order[rank]] * factor; };
  switch (correction) {
    case Correction::kNone:
      break;
    case Correction::kBonferroni:
      for (const std::size_t i : order) out[i] = std::min(1.0, p[i] * static_cast<double>(m));
      break;
    case Correction::kHolm: {
      double before = 0.0;
      for (std::size_t r = 0; r < m; ++r) {
        before = std::max(before, times(r, static_cast<double>(m - r)));
        out[order[r]] = std::min(1.0, before);
      }
      break;
    }
    case Correction::kBenjaminiHochberg: {
      double after = 1.0;
      for (std::size_t r = m; r-- > 0;) {
        after = std::min(after, times(r, static_cast<double>(m) / static_cast<double>(r + 1)));
        out[order[r]] = after;
      }
      break;
    }
  }
  return out;
}

}  // namespace handspan
