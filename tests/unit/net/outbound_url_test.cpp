// URLs of customers and addresses of processes, taken apart.
#include "net/outbound_url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace workforce::net {
namespace {

/// All that was read, or the fault.
std::string read(std::string_view text, bool allow_insecure = false) {
    auto const url = parse_outbound_url(text, allow_insecure);
    if (!url) return url.error();
    return std::string(url->tls ? "tls " : "plain ") + url->host + ' ' + std::to_string(url->port) + ' ' +
           url->authority + ' ' + url->target;
}

TEST(OutboundUrl, TakesApart) {
    struct Case {
        std::string text;
        std::string parts;
    };
    for (auto const& [text, parts] : std::vector<Case>{
             {"https://hooks.example.com", "tls hooks.example.com 443 hooks.example.com /"},
             {"https://hooks.example.com/", "tls hooks.example.com 443 hooks.example.com /"},
             {"HTTPS://Hooks.Example.COM/A/b?C=d&e=%20", "tls hooks.example.com 443 hooks.example.com /A/b?C=d&e=%20"},
             {"https://hooks.example.com?x=1", "tls hooks.example.com 443 hooks.example.com /?x=1"},
             {"https://hooks.example.com/a?b=/c?d", "tls hooks.example.com 443 hooks.example.com /a?b=/c?d"},
             {"https://hooks.example.com:8443/a", "tls hooks.example.com 8443 hooks.example.com:8443 /a"},
             {"https://hooks.example.com:443/a", "tls hooks.example.com 443 hooks.example.com /a"},
             {"https://hooks.example.com:/a", "tls hooks.example.com 443 hooks.example.com /a"},
             {"https://hooks.example.com:80/a", "tls hooks.example.com 80 hooks.example.com:80 /a"},
             {"https://hooks.example.com/@a:b", "tls hooks.example.com 443 hooks.example.com /@a:b"},
             {"https://xn--bcher-kva.example/", "tls xn--bcher-kva.example 443 xn--bcher-kva.example /"},
             {"https://a_b.example/", "tls a_b.example 443 a_b.example /"},
             {"https://1.1.1.1/", "tls 1.1.1.1 443 1.1.1.1 /"},
             {"https://1.example/", "tls 1.example 443 1.example /"},
             {"https://[2606:4700::1111]:8443/", "tls 2606:4700::1111 8443 [2606:4700::1111]:8443 /"},
             {"https://[2606:4700::ABCD]/", "tls 2606:4700::abcd 443 [2606:4700::abcd] /"},
         }) {
        EXPECT_EQ(read(text), parts) << text;
        EXPECT_EQ(read(text, true), parts) << text;
    }
}

TEST(OutboundUrl, RefusesWhatItMust) {
    struct Case {
        std::string fault;
        std::vector<std::string> texts;
    };
    std::string many_labels;
    while (many_labels.size() < 250) many_labels += "abcd.";
    for (auto const& [fault, texts] : std::vector<Case>{
             {"must be https",
              {"", "https", "https:", "https:/", "hooks.example.com", "ftp://a.example", "//a.example",
               "http://a.example", "https:a.example", "javascript:alert(1)", "httpss://a.example"}},
             {"has no host", {"https://", "https:///a", "https://?a", "https://:443/", "https://[]/"}},
             {"must have no fragment", {"https://a.example/#b", "https://a.example#", "https://a.example?x#y"}},
             {"must have no user name or password",
              {"https://u@a.example/", "https://u:p@a.example/", "https://@a.example/",
               "https://a.example:1@b.example/"}},
             {"must have no spaces, control characters or others that a URL encodes",
              {" https://a.example", "https://a.example ", "https://a.example/a b", "https://a.example/\r\nX: y",
               "https://a.example/\t", std::string("https://a.example/\0", 19), "https://a.example/\x7f",
               "https://b\xc3\xbc"
               "cher.example/",
               "https://a.example\\@b.example/", "https://a.example/{x}", "https://a.example/\"",
               "https://a.example/<"}},
             {"has no valid host",
              {"https://-a.example/",
               "https://a-.example/",
               "https://.example/",
               "https://a..example/",
               "https://a.example./",
               "https://a%2eexample/",
               "https://a!b.example/",
               "https://[::1/",

               "https://[::1]x/",
               "https://[1.1.1.1]/",
               "https://[fe80::1%25eth0]/",
               "https://[v1.a]/",
               "https://2606:4700::1111/",
               "https://1.1.1/",
               "https://127.1/",
               "https://2130706433/",
               "https://0x7f000001/",
               "https://0x7f.0.0.0x1/",
               "https://0177.0.0.1/",
               "https://1.1.1.256/",
               "https://1.1.1.1.1/",
               "https://0x/",
               "https://" + std::string(64, 'a') + ".example/",
               "https://" + many_labels + "example/",
               "https://a,b.example/"}},
             {"has no valid port",
              {"https://a.example:x/", "https://a.example:65536/", "https://a.example:-1/", "https://a.example:+1/",
               "https://a.example:443:443/", "https://a.example:0x1bb/"}},
             {"must not name an address that is not public",
              {"https://localhost/", "https://LOCALHOST:8443/", "https://a.localhost/", "https://127.0.0.1/",
               "https://10.1.2.3/", "https://169.254.169.254/latest", "https://[::1]/", "https://[::ffff:10.0.0.1]/",
               "https://[::ffff:a00:1]/", "https://[fd00::1]/", "https://[64:ff9b::a00:1]/", "https://0.0.0.0/"}},
         }) {
        for (auto const& text : texts) {
            EXPECT_EQ(read(text), fault) << text;
        }
    }
}

TEST(OutboundUrl, RefusesPortsOfOtherServices) {
    for (int const port : {0, 22, 25, 53, 110, 143, 445, 3306, 5432, 6379, 9092}) {
        auto const fault = "must not name port " + std::to_string(port);
        EXPECT_EQ(read("https://a.example:" + std::to_string(port) + "/"), fault);
        EXPECT_EQ(read("http://a.example:0" + std::to_string(port) + "/", true), fault);
    }
}

TEST(OutboundUrl, IsOfBoundedLength) {
    std::string const begin = "https://a.example/";
    EXPECT_TRUE(parse_outbound_url(begin + std::string(2048 - begin.size(), 'a'), false));
    EXPECT_EQ(read(begin + std::string(2049 - begin.size(), 'a')), "must have at most 2048 bytes");
}

TEST(OutboundUrl, DevelopersMayUseHttpAndLoopback) {
    EXPECT_EQ(read("http://localhost:3000/a", true), "plain localhost 3000 localhost:3000 /a");
    EXPECT_EQ(read("http://127.0.0.1", true), "plain 127.0.0.1 80 127.0.0.1 /");
    EXPECT_EQ(read("http://[::1]:443", true), "plain ::1 443 [::1]:443 /");
    EXPECT_EQ(read("https://localhost", true), "tls localhost 443 localhost /");
    for (auto const* text :
         {"http://10.0.0.1", "http://169.254.169.254", "http://[::ffff:127.0.0.1]", "http://0.0.0.0"}) {
        EXPECT_EQ(read(text, true), "must not name an address that is not public") << text;
    }
    EXPECT_EQ(read("ftp://localhost", true), "must be https");
}

TEST(InternalUrl, TakesApart) {
    auto const url = parse_internal_url("http://api-1:8080");
    ASSERT_TRUE(url);
    EXPECT_FALSE(url->tls);
    EXPECT_EQ(url->host, "api-1");
    EXPECT_EQ(url->port, 8080);
    EXPECT_EQ(url->authority, "api-1:8080");
    auto const literal = parse_internal_url("http://[fe80::1%eth0]:8080/path");
    ASSERT_TRUE(literal);
    EXPECT_EQ(literal->host, "fe80::1%eth0");
    EXPECT_EQ(literal->target, "/");
    for (auto const* text :
         {"", "api-1:8080", "https://api-1:8080", "http://", "http://:80", "http://a:b", "http://[::1"}) {
        EXPECT_FALSE(parse_internal_url(text)) << text;
    }
}

}  // namespace
}  // namespace workforce::net
