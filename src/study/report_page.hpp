#pragma once
// What every report has the same of: its style.

namespace handspan {

extern const char* const kReportStyle;

}  // namespace handspan
