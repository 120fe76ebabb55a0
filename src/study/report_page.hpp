#pragma once
// What every report has the same of: its style, and the script that draws its plots from the data
// in it.

namespace handspan {

extern const char* const kReportStyle;
extern const char* const kReportScript;

}  // namespace handspan
