// Messages of one's own dictionary, generated in one's own build.
#include <nexusfix/venue/quote_hint.hpp>

static_assert(nexusfix::venue::QuoteHint::kMsgType == "UQ");
static_assert(nexusfix::venue::tag::HintPx == 5103);
