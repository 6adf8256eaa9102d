// Field types with rules: cleaning, lengths, formats, and personal fields, sealed and open.
#include "core/text.hpp"

#include "core/enum_text.hpp"

#include <gtest/gtest.h>

namespace workforce::core {
namespace {

/// Reads the value, and answers what is wrong with it.
template <class T>
std::vector<FieldError> read_into(T& out, std::string const& value) {
    JsonWriter w;
    w.string(value);
    auto const document = parse_json(w.text());
    if (!document) return {{"", "json", "is no JSON"}};
    JsonReader reader;
    JsonType<T>::read(*document, out, reader);
    return reader.errors();
}

/// The value as text and the rule that it breaks, or "".
template <class T>
std::pair<std::string, std::string> read(std::string const& value) {
    T out;
    auto const errors = read_into(out, value);
    return {out.value, errors.empty() ? "" : errors.front().rule};
}

/// What is said of the value, which is wrong.
template <class T>
std::string said_of(std::string const& value) {
    T out;
    return read_into(out, value).at(0).message;
}

using Clean = std::pair<std::string, std::string>;

TEST(Text, IsTrimmedBeforeAnythingElse) {
    EXPECT_EQ(read<Name>("  Ada \t\r\n"), Clean("Ada", ""));
    EXPECT_EQ(read<Name>(" \t\n "), Clean("", "min_length"));
    EXPECT_EQ(read<Name>("a b"), Clean("a b", ""));
    EXPECT_EQ(read<Name>(std::string(200, 'a') + "   ").second, "");
}

TEST(Text, ALengthThatIsWrongIsToldInWords) {
    EXPECT_EQ((said_of<Text<1, 200>>("")), "must have at least 1 character");
    EXPECT_EQ((said_of<Text<2, 200>>("a")), "must have at least 2 characters");
    EXPECT_EQ((said_of<Text<0, 1>>("ab")), "must have at most 1 character");
    EXPECT_EQ((said_of<Text<0, 2>>("abc")), "must have at most 2 characters");
}

TEST(Text, IsBroughtToNfc) {
    EXPECT_EQ(read<Name>("Zoe\xcc\x88"), Clean("Zo\xc3\xab", ""));                             // e + diaeresis
    EXPECT_EQ(read<Name>("\xe2\x84\xab"), Clean("\xc3\x85", ""));                              // Angstrom sign
    EXPECT_EQ(read<Name>("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), Clean("\xed\x95\x9c", ""));  // jamo
    EXPECT_EQ(read<Name>("\xef\xac\x81"), Clean("\xef\xac\x81", ""));  // a ligature is no composition
}

TEST(Text, HasNoControlCharacters) {
    for (auto const& bad : {std::string("a\0b", 3),
                            std::string("a\x1b"
                                        "b"),
                            std::string("a\x7f"
                                        "b"),
                            std::string("a\rb"),
                            std::string("a\xc2\x80"
                                        "b"),
                            std::string("a\xc2\x9f"
                                        "b")}) {
        EXPECT_EQ(read<ShortText>(bad).second, "characters");
        EXPECT_EQ(read<LongText>(bad).second, "characters");
    }
    EXPECT_EQ(read<ShortText>("a\nb").second, "characters");
    EXPECT_EQ(read<ShortText>("a\tb").second, "characters");
    EXPECT_EQ(read<LongText>("a\n\tb"), Clean("a\n\tb", ""));
    EXPECT_EQ(read<ShortText>("a\xc2\xa0"
                              "b")
                  .second,
              "");  // the first after the controls
}

TEST(Text, LengthsAreInCodePoints) {
    std::string euros;
    for (int i = 0; i < 200; ++i) euros += "\xe2\x82\xac";
    EXPECT_EQ(read<Name>(euros).second, "");
    EXPECT_EQ(read<Name>(euros + "a").second, "max_length");
    EXPECT_EQ(read<LongText>(std::string(4000, 'a')).second, "");
    EXPECT_EQ(read<LongText>(std::string(4001, 'a')).second, "max_length");
    EXPECT_EQ((read<Text<0, 32>>(std::string(33, 'a')).second), "max_length");
    EXPECT_EQ(count_code_points("a\xf0\x9f\x99\x82\xc3\xa9"), 3U);
}

TEST(Text, FaultsOfRawBytesAreNamed) {
    std::string text = "caf\xe9";
    EXPECT_TRUE(clean_text(text, false));
}

TEST(Email, IsLowerCased) { EXPECT_EQ(read<Email>(" Ada.Low@Example.TEST "), Clean("ada.low@example.test", "")); }

TEST(Email, HasOneAtAndADottedDomain) {
    for (auto const* good :
         {"a@b.c", "first.last+tag@sub.example.test", "o'neil@example.test", "a@xn--bcher-kva.example"}) {
        EXPECT_TRUE(is_email(good)) << good;
    }
    for (auto const* bad : {"", "a", "@b.c", "a@", "a@b", "a@.c", "a@b.", "a@b..c", "a@b@c.d", "a b@c.d", "a@b c.d",
                            "<a@b.c>", "a,b@c.d", "a@b.c;", "\"a\"@b.c"}) {
        EXPECT_FALSE(is_email(bad)) << bad;
    }
    EXPECT_TRUE(is_email("a@" + std::string(248, 'b') + ".com"));
    EXPECT_FALSE(is_email("a@" + std::string(249, 'b') + ".com"));
    EXPECT_FALSE(is_email(std::string(65, 'a') + "@b.c"));
}

TEST(Phone, HasItsAlphabet) {
    EXPECT_EQ(read<Phone>("+49 (421) 123-45.x6").second, "");
    EXPECT_EQ(read<Phone>("").second, "");
    EXPECT_EQ(read<Phone>("call me").second, "phone");
    EXPECT_EQ(read<Phone>(std::string(32, '1')).second, "");
    EXPECT_EQ(read<Phone>(std::string(33, '1')).second, "phone");
}

TEST(HttpsUrl, IsHttpsWithAHost) {
    for (auto const* good : {"https://a", "https://example.test/p?q=1#f", "https://example.test:8443/",
                             "https://a_b.c-d/%20?x=%C3%A4&y=(1)#/f?"}) {
        EXPECT_TRUE(is_https_url(good)) << good;
    }
    for (auto const* bad : {"",
                            "http://a",
                            "https://",
                            "https:///x",
                            "https://?q",
                            "https://u:p@a/",
                            "https://a b",
                            "ftp://a",
                            "https://a/<x>",
                            "//a",
                            "https://ä/",
                            "https://a/ä",
                            "https://a/%2",
                            "https://a/%zz",
                            "https://a:b/",
                            "https://a:",
                            "https://a:123456",
                            "https://a/#b#c",
                            "https://a/[x]",
                            "https://a^b"}) {
        EXPECT_FALSE(is_https_url(bad)) << bad;
    }
    EXPECT_TRUE(is_https_url("https://a/" + std::string(2038, 'x')));
    EXPECT_FALSE(is_https_url("https://a/" + std::string(2039, 'x')));
}

TEST(Currency, IsOneOfIso4217) {
    for (auto const* good : {"EUR", "USD", "JPY", "XCG", "ZWG", "AED"})
        EXPECT_EQ(read<Currency>(good).second, "") << good;
    for (auto const* bad : {"eur", "EU", "EURO", "E1R", "", "ABC", "DEM", "BTC"}) {
        EXPECT_EQ(read<Currency>(bad).second, "currency") << bad;
    }
    EXPECT_EQ(from_stored_json<Currency>(R"("ABC")").value, "ABC") << "what is stored stays readable";
}

enum class Colour : std::uint8_t { red, blue };
BOOST_DESCRIBE_ENUM(Colour, red, blue)

TEST(EnumText, IsBoundWhereItComesIn) {
    using Bound = EnumText<Colour>;
    EXPECT_EQ(read<Bound>("blue"), Clean("blue", ""));
    for (auto const* bad : {"Blue", "", "green"}) EXPECT_EQ(read<Bound>(bad), Clean("", "enum")) << bad;
    EXPECT_EQ(from_stored_json<Bound>(R"("green")").value, "green") << "what is stored stays readable";
    EXPECT_EQ(to_json(Bound("green")), R"("green")");
}

TEST(Integer, TellsOfNoBoundThatOnlyIdsHave) {
    auto const fault = []<class T>(T, std::string_view json) {
        auto const document = parse_json(json);
        T out;
        JsonReader reader;
        JsonType<T>::read(*document, out, reader);
        return reader.errors().empty() ? "" : reader.errors().front().message;
    };
    EXPECT_EQ(fault(Int<1, kMaxId>(), "0"), "must be at least 1");
    EXPECT_EQ(fault(Int<1, kMaxId>(), "9007199254740992"), "must be from 1 to 9007199254740991");
    EXPECT_EQ(fault(Int<1, 500>(), "0"), "must be from 1 to 500");
    EXPECT_EQ(fault(Int<1, 500>(), "7"), "");
}

TEST(TimeZone, IsOneThatTheMachineKnows) {
    EXPECT_EQ(read<TimeZoneName>("Europe/Berlin").second, "");
    EXPECT_EQ(read<TimeZoneName>("UTC").second, "");
    for (auto const* bad : {"", "Berlin", "Mars/Olympus", "CEST+1"})
        EXPECT_EQ(read<TimeZoneName>(bad).second, "time_zone") << bad;
}

// A personal field outside of events is its value; in them it is sealed and tied to its place.

struct Card {
    Personal<Name> holder;
    Personal<std::vector<std::int64_t>> numbers;
    std::string colour;
};
BOOST_DESCRIBE_STRUCT(Card, (), (holder, numbers, colour))

struct Wallet {
    Card card;
};
BOOST_DESCRIBE_STRUCT(Wallet, (), (card))

Wallet wallet() {
    Wallet w;
    w.card.holder = Name("Ada");
    w.card.numbers = std::vector<std::int64_t>{4, 2};
    w.card.colour = "blue";
    return w;
}

Wallet read_sealed(std::string_view text, FieldOpener const& opener, std::string& fault) {
    auto const document = parse_json(text);
    Wallet out;
    JsonReader reader(JsonReader::Trust::stored, &opener);
    JsonType<Wallet>::read(*document, out, reader);
    fault = reader.errors().empty() ? "" : reader.errors().front().field + " " + reader.errors().front().rule;
    return out;
}

/// The rule that a text breaks as a T, or "".
template <class T>
std::string fault_of(std::string const& text, JsonReader::Trust trust) {
    auto const document = parse_json('"' + text + '"');
    T out;
    JsonReader reader(trust);
    JsonType<T>::read(document.value(), out, reader);
    return reader.errors().empty() ? "" : reader.errors().front().rule;
}

TEST(Dates, FromOutsideAreOfTheYears1To9999) {
    using enum JsonReader::Trust;
    for (auto const* date : {"0001-01-01", "9999-12-31"}) EXPECT_EQ(fault_of<Date>(date, outside), "") << date;
    for (auto const* date : {"0000-01-01", "0000-12-31"}) {
        EXPECT_EQ(fault_of<Date>(date, outside), "range") << date;
        EXPECT_EQ(fault_of<Date>(date, stored), "") << "what was taken once stays readable";
    }
    for (auto const* moment : {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0000-12-31T23:00:00-01:00"}) {
        EXPECT_EQ(fault_of<Timestamp>(moment, outside), "") << moment;
    }
    for (auto const* moment : {"0000-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "0001-01-01T00:59:00+01:00"}) {
        EXPECT_EQ(fault_of<Timestamp>(moment, outside), "range") << moment;
        EXPECT_EQ(fault_of<Timestamp>(moment, stored), "") << moment;
    }
}

TEST(Personal, IsItsValueWithoutASealer) {
    EXPECT_EQ(to_json(wallet()), R"({"card":{"holder":"Ada","numbers":[4,2],"colour":"blue"}})");
}

TEST(Personal, IsSealedWithItsPathAndOpenedAgain) {
    FieldSealer const sealer = [](std::string_view path, std::string_view json) {
        return std::string(path) + "|" + std::string(json);
    };
    JsonWriter w(&sealer);
    write_json(w, wallet());
    EXPECT_EQ(w.text(), R"({"card":{"holder":{"sealed":"card.holder|\"Ada\""},)"
                        R"("numbers":{"sealed":"card.numbers|[4,2]"},"colour":"blue"}})");
    std::string fault;
    FieldOpener const opener = [](std::string_view path, std::string_view sealed) -> std::optional<std::string> {
        EXPECT_TRUE(sealed.starts_with(path));
        return std::string(sealed.substr(path.size() + 1));
    };
    auto const opened = read_sealed(w.text(), opener, fault);
    EXPECT_EQ(fault, "");
    EXPECT_EQ(opened.card.holder.value.value, "Ada");
    EXPECT_EQ(opened.card.numbers.value, (std::vector<std::int64_t>{4, 2}));
    EXPECT_FALSE(opened.card.holder.erased);
}

TEST(Personal, ReadsAsErasedWithoutTheKey) {
    FieldOpener const gone = [](std::string_view, std::string_view) { return std::nullopt; };
    std::string fault;
    auto const erased =
        read_sealed(R"({"card":{"holder":{"sealed":"x"},"numbers":{"sealed":"y"},"colour":"blue"}})", gone, fault);
    EXPECT_EQ(fault, "");
    EXPECT_TRUE(erased.card.holder.erased && erased.card.numbers.erased);
    EXPECT_EQ(erased.card.holder.value.value, "");
    EXPECT_EQ(erased.card.colour, "blue");
}

TEST(Personal, ClearTextWhereASealedOneBelongsIsAFault) {
    FieldOpener const opener = [](std::string_view, std::string_view) { return std::optional<std::string>("{"); };
    std::string fault;
    read_sealed(R"({"card":{"holder":"Ada","numbers":{"sealed":"y"},"colour":""}})", opener, fault);
    EXPECT_EQ(fault, "card.holder sealed");
    read_sealed(R"({"card":{"holder":{"sealed":5},"numbers":{"sealed":"y"},"colour":""}})", opener, fault);
    EXPECT_EQ(fault, "card.holder sealed");
    read_sealed(R"({"card":{"holder":{"sealed":"x"},"numbers":{"sealed":"y"},"colour":""}})", opener, fault);
    EXPECT_EQ(fault, "card.holder sealed");  // opens, but to no JSON
}

}  // namespace
}  // namespace workforce::core
