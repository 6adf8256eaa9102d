// What the authorization server judges of text alone: addresses, challenges, scopes.
#include "operations/oauth/oauth.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/scopes.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"

namespace workforce::operations {
namespace {

TEST(RedirectUri, IsHttpsOrOfThisMachineOrOfAProgramsOwnScheme) {
    for (auto const* uri : {"https://a.test/cb", "https://a.test", "https://a.test:8443/cb?x=1", "http://127.0.0.1/cb",
                            "http://[::1]:9/cb", "http://localhost:1/", "com.example.app:/cb", "cursor://x/y"}) {
        EXPECT_EQ(fault_of_redirect_uri(uri), std::nullopt) << uri;
    }
    for (auto const* uri : {"",
                            "x",
                            "/cb",
                            "//a.test/cb",
                            "http://a.test/",
                            "http://127.0.0.1.a.test/",
                            "https://",
                            "https://a.test/#",
                            "https://u@a.test/",
                            "https://u:p@a.test/",
                            "javascript:x",
                            "JavaScript:x",
                            "data:text/html,x",
                            "file:///x",
                            "blob:x",
                            "vbscript:x",
                            "about:blank",
                            "ftp://a.test/",
                            "ws://a.test",
                            "wss://a.test",
                            "https://a.test/ x",
                            "https://a.test/\nx",
                            "https://a.test\\@b.test/",
                            "com.example.app:"}) {
        EXPECT_NE(fault_of_redirect_uri(uri), std::nullopt) << uri;
    }
    EXPECT_NE(fault_of_redirect_uri("https://a.test/" + std::string(2048, 'x')), std::nullopt);
}

TEST(RedirectUri, IsTheRegisteredOneToTheLetter) {
    EXPECT_TRUE(is_same_redirect("https://a.test/cb", "https://a.test/cb"));
    for (auto const* asked : {"https://a.test/cb/", "https://a.test/CB", "https://A.test/cb", "https://a.test/cb?x",
                              "https://a.test:443/cb", "http://a.test/cb", "https://a.test/"}) {
        EXPECT_FALSE(is_same_redirect("https://a.test/cb", asked)) << asked;
    }
}

TEST(RedirectUri, OfThisMachineHasAnyPort) {
    EXPECT_TRUE(is_same_redirect("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb"));
    EXPECT_TRUE(is_same_redirect("http://localhost:1/cb?x=1", "http://localhost:2/cb?x=1"));
    EXPECT_TRUE(is_same_redirect("http://[::1]:1", "http://[::1]:2"));
    for (auto const* asked : {"http://localhost:5000/cb", "http://127.0.0.1:5000/x", "http://127.0.0.1:5000/cb?x",
                              "http://127.0.0.1:5000/cb#x", "http://127.0.0.1:5@a.test/cb", "https://127.0.0.1:5000/cb",
                              "http://127.0.0.1.a.test/cb"}) {
        EXPECT_FALSE(is_same_redirect("http://127.0.0.1/cb", asked)) << asked;
    }
}

TEST(RedirectUri, IsShownAndLetThrough) {
    EXPECT_EQ(shown_host("https://A.test:8443/cb"), "a.test:8443");
    EXPECT_EQ(shown_host("https://a.test/cb"), "a.test");
    EXPECT_EQ(shown_host("http://127.0.0.1:1/"), "127.0.0.1:1");
    EXPECT_TRUE(is_on_this_machine("http://localhost/"));
    EXPECT_FALSE(is_on_this_machine("https://localhost/"));
    EXPECT_EQ(shown_host("com.example.app:/cb"), "com.example.app:");
    EXPECT_EQ(form_source("https://a.test:8443/cb"), "https://a.test:8443");
    EXPECT_EQ(form_source("com.example.app:/cb"), "com.example.app:");
    EXPECT_EQ(with_query("https://a.test/cb?x=1", "code=2"), "https://a.test/cb?x=1&code=2");
    EXPECT_EQ(form_encoded("a b&c=\xC3\xA9~"), "a%20b%26c%3D%C3%A9~");
}

/// The example of RFC 7636, appendix B.
TEST(Pkce, IsSha256OfTheVerifier) {
    EXPECT_EQ(challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
              "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    EXPECT_EQ(challenge_of(std::string(42, 'x')), "");
    EXPECT_EQ(challenge_of(std::string(129, 'x')), "");
    EXPECT_EQ(challenge_of(std::string(43, ' ')), "");
    EXPECT_TRUE(is_challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
    EXPECT_FALSE(is_challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c"));
    EXPECT_FALSE(is_challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw.cM"));
}

TEST(Scopes, AreEachOnceInTheirOrder) {
    EXPECT_EQ(scopes_of_text("b a  b "), (std::vector<std::string>{"b", "a"}));
    EXPECT_TRUE(scopes_of_text(" ").empty());
    EXPECT_EQ(text_of_scopes(std::vector<std::string>{"b", "a"}), "b a");
}

TEST(Scopes, ThatNobodyAsksForAreThoseThatRead) {
    auto const all = default_scopes({});
    EXPECT_EQ(all.size(), std::ranges::count_if(core::scope_catalogue(), &core::Scope::in_default_grant));
    for (auto const& scope : all) EXPECT_TRUE(scope.ends_with(":read")) << scope;
    std::vector<std::string> const most{"staff:read", "staff:write"};
    EXPECT_EQ(default_scopes(most), std::vector<std::string>{"staff:read"});
}

TEST(Scopes, AllHaveWordsOfTheirOwn) {
    for (auto const& scope : core::scope_catalogue()) {
        auto const words = words_of_scope(scope.name);
        EXPECT_FALSE(words.text.starts_with("do everything")) << scope.name;
        EXPECT_EQ(words.weight == ScopeWeight::reads, scope.name.ends_with(":read")) << scope.name;
    }
    EXPECT_EQ(words_of_scope("crm:*").text, "do everything with crm");
    EXPECT_EQ(words_of_scope("crm:*").weight, ScopeWeight::sensitive);
}

TEST(Scopes, OfAPermissionGiveLeast) {
    EXPECT_EQ(core::least_scope("shifts.view"), "shifts:read");
    EXPECT_EQ(core::least_scope("staff.edit"), "staff:write");
    EXPECT_EQ(core::least_scope("users.deactivate"), "users:write");
    EXPECT_EQ(core::least_scope("api_keys.manage"), "");
}

TEST(Resources, AreBothHosts) {
    EXPECT_EQ(accepted_resources("https://a.test", "https://m.test"),
              (std::vector<std::string>{"https://a.test", "https://a.test/", "https://m.test", "https://m.test/",
                                        "https://m.test/mcp", "https://m.test/mcp/"}));
}

}  // namespace
}  // namespace workforce::operations
