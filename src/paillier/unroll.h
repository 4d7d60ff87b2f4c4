#pragma once

// Arrays become registers only where the loops over them are unrolled. A file for a special
// processor says how before it includes this one; emulated lanes gain nothing from it.
#ifndef SOTTO_UNROLL
#define SOTTO_UNROLL(times)
#endif
