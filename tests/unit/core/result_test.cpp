// The error table: every code has its own complete row.
#include "core/result.hpp"

#include <gtest/gtest.h>

#include <set>

namespace workforce::core {
namespace {

TEST(ErrorTable, EachCodeHasItsOwnRow) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Code::log_unavailable); ++i) {
        CodeInfo const& row = info(static_cast<Code>(i));
        EXPECT_EQ(row.code, static_cast<Code>(i));
        EXPECT_GE(row.status, 400) << row.name;
        EXPECT_LT(row.status, 600) << row.name;
        EXPECT_FALSE(row.suggestion.empty()) << row.name;
        EXPECT_EQ(row.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string_view::npos) << row.name;
        bool const again = row.code == Code::already_resolved;  // which has two statuses
        EXPECT_EQ(names.insert(row.name).second, !again) << row.name << " stands twice";
    }
}

TEST(ErrorTable, StatusAndRetryabilityOfKnownCodes) {
    EXPECT_EQ(info(Code::idempotency_in_progress).status, 409);
    EXPECT_TRUE(info(Code::idempotency_in_progress).retryable);
    EXPECT_EQ(info(Code::idempotency_key_conflict).name, "IDEMPOTENCY_KEY_CONFLICT");
    EXPECT_FALSE(info(Code::idempotency_key_conflict).retryable);
    EXPECT_EQ(info(Code::log_unavailable).status, 503);
    EXPECT_EQ(info(Code::headers_too_large).status, 431);
}

TEST(ErrorTable, RefuseGivesTheProblem) {
    Result<int> const result = refuse(Code::not_found, "no such shift", R"({"id":7})");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::not_found);
    EXPECT_EQ(result.error().message, "no such shift");
    EXPECT_EQ(result.error().details, R"({"id":7})");
}

}  // namespace
}  // namespace workforce::core
