// Texts in XML and HTML, between tags and in attributes between double quotes.
#pragma once

#include <string>
#include <string_view>

namespace heapledger {

// Nothing in it ends the text or is obeyed. What no XML may hold appears as \u001b; line ends and
// tabs stay.
std::string xml_escaped(std::string_view text);

// The same for a name that comes from somewhere else, on one line: see printable().
std::string xml_text(std::string_view text);

}  // namespace heapledger
