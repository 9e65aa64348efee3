// Where the precompiled headers belong to: a target needs a source.
#include "support/precompiled.hpp"
