// What precompiled headers belong to: a target needs a source.
