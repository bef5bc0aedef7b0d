// event_callback.hpp - a callback of the program for the end of a command, with ours before it:
// what the program does from there on comes after that command.
#pragma once

#include "layers/opencl/objects/api.hpp"

namespace reel::layer {

using EventCallback = void(CL_CALLBACK*)(cl_event event, cl_int status, void* data);

// The hook of clSetEventCallback. The driver's answer, and when, how often and on which thread the
// program is called, are as without it.
cl_int CL_API_CALL set_event_callback(cl_event event, cl_int when, EventCallback function,
                                      void* data);

}  // namespace reel::layer
