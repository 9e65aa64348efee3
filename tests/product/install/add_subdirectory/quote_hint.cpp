// Messages of a user's dictionary, generated in the user's build.
#include <nexusfix/venue/quote_hint.hpp>

static_assert(nexusfix::venue::QuoteHint::kMsgType == "UQ");
static_assert(nexusfix::venue::tag::HintPx == 5103);
