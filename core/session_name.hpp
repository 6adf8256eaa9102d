// What sessions of the database are called where PostgreSQL lists them (pg_stat_activity).
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// Has the sessions of this process named after it: its role (or the command that it carries out) and its installation.
/// Call it before the first session is opened, while one thread runs.
void name_process(std::string_view role, std::string_view installation);

/// The application_name of a session that is known as `pool` ("workforce reads") within the process: "workforce api:
/// reads (production)". Without name_process() it is `pool`. PostgreSQL keeps the first 63 bytes. Thread-safe.
std::string session_name(std::string const& pool);

}  // namespace workforce::core
