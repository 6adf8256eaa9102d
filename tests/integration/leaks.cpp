// Leaks of others, which LeakSanitizer is to pass over.

/// Called by LeakSanitizer. libpqxx 6.4.5 loses one PGresult when a session breaks: it asks for the client encoding,
/// which throws then, before the result has an owner.
extern "C" char const* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
    return "leak:libpqxx-6.4.so\n";
}
