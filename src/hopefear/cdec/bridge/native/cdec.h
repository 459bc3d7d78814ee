// What the bridge uses of cdec's headers. Their symbols are taken from the running executable.
#pragma once

// cdec's headers use its macros without including it, which older releases of Boost forgave.
#if __has_include(<boost/serialization/split_member.hpp>)
#include <boost/serialization/split_member.hpp>
#endif

#include "fdict.h"
#include "ff.h"
#include "hg.h"
#include "lattice.h"
#include "sentence_metadata.h"
#include "tdict.h"
#include "trule.h"
