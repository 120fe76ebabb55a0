#pragma once
// What Ctrl-C, a polite end and a closed terminal do to a command: it ends whole.
#include <atomic>

namespace handspan {

/// From its making on INT, TERM and HUP ask the command to end: what it writes is finished, as if
/// its work had ended there. A second one, half a second later or more, ends the program at once.
/// One object a program.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
};

/// Is called when the end is asked for, in the signal's handler; null: nothing is.
void on_end(void (*call)());

/// For a command that has nothing to finish: from here on the first signal ends it.
void end_at_once();

/// Whether a signal has asked for the end. False where nobody made an EndSignals.
bool end_asked();
/// The same for who looks at it in a thread of their own.
const std::atomic<bool>& end_flag();

}  // namespace handspan
