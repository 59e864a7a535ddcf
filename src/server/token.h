// The secret of one server, which who asks has to know.
#pragma once

#include <string>
#include <string_view>

namespace heapledger::server {

// 128 random bits as 32 hexadecimal digits. Throws Error when the system has none.
std::string new_token();

// In a time that does not depend on where they differ.
bool is_same_secret(std::string_view one, std::string_view other);

}  // namespace heapledger::server
