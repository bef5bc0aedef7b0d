// control.hpp - when to begin and to end: windows of work, triggers, the program's own wish.
//
// The hooks call these; session.hpp is what it acts on.
#pragma once

#include <string_view>

namespace reel::layer::control {

// The first OpenCL call of the process: reads the settings, and begins what is to begin at once.
void first_call() noexcept;
// Only while session::attention is set: a command is about to be given, `kernel` is its kernel's
// name or empty. May begin or end a capture. Counts commands.
void before_command(std::string_view kernel) noexcept;
// Whether a capture under way wants this dispatch. No kernel name: some other command.
bool selects(std::string_view kernel) noexcept;
// Queues should be made so that they can stamp times: somebody may capture.
bool is_armed() noexcept;
// At exit, while drivers still work: ends what is under way and says where it is.
void process_ends() noexcept;
// In a child after fork: nothing is under way here.
void process_forked() noexcept;

}  // namespace reel::layer::control
