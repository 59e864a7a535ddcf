// Data inside a page: gzip, as text in base64, so that nothing in it can be anything but data.
#pragma once

#include <string>
#include <string_view>

namespace heapledger {

std::string packed_text(std::string_view bytes);

}  // namespace heapledger
