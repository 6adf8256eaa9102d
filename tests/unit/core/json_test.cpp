// The mapper between described structs and JSON: what it takes, and what it names.
#include "core/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace workforce::core {
namespace mapped {

enum class Colour : std::uint8_t { red, deep_blue, default_ };
BOOST_DESCRIBE_ENUM(Colour, red, deep_blue, default_)

struct Part {
    std::string name;
    Int<1, 9> count = 1;
};
BOOST_DESCRIBE_STRUCT(Part, (), (name, count))

struct Base {
    std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Thing : Base {
    bool flag = false;
    std::int32_t small = 0;
    Colour colour = Colour::red;
    std::optional<std::string> maybe;
    Nullable<std::string> nothing;
    Part part;
    std::vector<Part> parts;
    std::string class_;
};
BOOST_DESCRIBE_STRUCT(Thing, (Base), (flag, small, colour, maybe, nothing, part, parts, class_))

/// With a member that hides one of its base's.
struct Bundle : Part {
    std::vector<std::int64_t> count;
    static constexpr bool kHidesMembers = true;
};
BOOST_DESCRIBE_STRUCT(Bundle, (Part), (count))

/// As Bundle, but it does not say so.
struct Ambiguous : Part {
    std::vector<std::int64_t> count;
};
BOOST_DESCRIBE_STRUCT(Ambiguous, (Part), (count))

struct Lenient {
    std::string needed;
    std::string spare = "kept";
    static constexpr std::array<std::string_view, 1> kRequired{"needed"};
};
BOOST_DESCRIBE_STRUCT(Lenient, (), (needed, spare))

/// With a rule between its members.
struct Range {
    Int<0, 9> from = 0;
    Int<0, 9> to = 0;
    std::optional<std::string> note;
    void check(FieldCheck& fields) const {
        if (fields.sound("from") && fields.sound("to") && to < from) fields.fail("to", "order", "is below from");
    }
};
BOOST_DESCRIBE_STRUCT(Range, (), (from, to, note))

struct Ranges {
    std::vector<Range> all;
    Range toFrom;
};
BOOST_DESCRIBE_STRUCT(Ranges, (), (all, toFrom))

struct Numbers {
    std::optional<std::int32_t> narrow;
    std::optional<std::int64_t> wide;
    std::optional<std::uint8_t> tiny;
    std::optional<Decimal<0, 100>> money;
    std::optional<double> real;
};
BOOST_DESCRIBE_STRUCT(Numbers, (), (narrow, wide, tiny, money, real))

struct Stay {
    std::string place;
    AbsentOrNull<Int<1, 9>> nights;
};
BOOST_DESCRIBE_STRUCT(Stay, (), (place, nights))

}  // namespace mapped

namespace {

using mapped::Thing;

constexpr std::string_view kThing =
    R"({"id":4,"flag":true,"small":-3,"colour":"deep_blue","maybe":"m","nothing":null,"part":{"name":"p","count":2},)"
    R"("parts":[{"name":"q","count":9}],"class":"c"})";

/// Reads text from outside; `faults` are "field rule" in their order.
template <class T>
struct Read {
    T value;
    std::vector<std::string> faults;
    std::vector<std::string> unknown;

    explicit Read(std::string_view text, JsonReader::Trust trust = JsonReader::Trust::outside) {
        auto const document = parse_json(text);
        if (!document) throw std::invalid_argument("the test's JSON does not parse: " + document.error().message);
        JsonReader reader(trust);
        JsonType<T>::read(*document, value, reader);
        for (auto const& error : reader.errors()) faults.push_back(error.field + " " + error.rule);
        unknown = reader.unknown();
    }
};

using Faults = std::vector<std::string>;

TEST(Mapper, RoundTripsEveryKindOfMember) {
    Read<Thing> const read(kThing);
    EXPECT_EQ(read.faults, Faults{});
    EXPECT_EQ(read.unknown, Faults{});
    EXPECT_EQ(read.value.id, 4);
    EXPECT_EQ(read.value.colour, mapped::Colour::deep_blue);
    EXPECT_EQ(read.value.maybe, "m");
    EXPECT_FALSE(read.value.nothing.value);
    EXPECT_EQ(read.value.parts.at(0).count, 9);
    EXPECT_EQ(to_json(read.value), kThing);
}

TEST(Mapper, HasOneMemberOfANameWhereOneHidesAnother) {
    Read<mapped::Bundle> const read(R"({"name":"a","count":[1,2]})");
    EXPECT_EQ(read.faults, Faults{});
    EXPECT_EQ(to_json(read.value), R"({"name":"a","count":[1,2]})");
    JsonWriter schema;
    schema.begin_object();
    EXPECT_THROW(JsonType<mapped::Ambiguous>::schema(schema), std::logic_error);
}

TEST(Mapper, TakesMembersInAnyOrderAndTheFirstOfAName) {
    for (auto const* text : {R"({"name":"a","name":"b","count":2,"count":3})", R"({"count":2,"name":"a","count":3})",
                             R"({"count":2,"count":3,"name":"a","name":"b"})"}) {
        Read<mapped::Part> const read(text);
        EXPECT_EQ(read.faults, Faults{}) << text;
        EXPECT_EQ(read.value.name, "a") << text;
        EXPECT_EQ(read.value.count, 2) << text;
    }
    Read<mapped::Part> const more(R"({"name":"a","other":1,"count":2,"count":3})");
    EXPECT_EQ(more.value.count, 2);
    EXPECT_EQ(more.unknown, Faults{"other"});
}

TEST(Mapper, LeavesAbsentOptionalsOutAndWritesNulls) {
    Thing thing;
    auto const json = nlohmann::json::parse(to_json(thing));
    EXPECT_FALSE(json.contains("maybe"));
    EXPECT_TRUE(json.at("nothing").is_null());
    EXPECT_EQ(json.at("parts"), nlohmann::json::array());
    thing.nothing = std::string("some");
    EXPECT_EQ(nlohmann::json::parse(to_json(thing)).at("nothing"), "some");
}

TEST(Mapper, NamesEveryMissingMember) {
    Read<Thing> const read("{}");
    EXPECT_EQ(read.faults, (Faults{"id required", "flag required", "small required", "colour required",
                                   "nothing required", "part required", "parts required", "class required"}));
}

TEST(Mapper, DefaultsStandWhereTheListOfRequiredMembersLeavesThemOut) {
    EXPECT_EQ(Read<mapped::Lenient>("{}").faults, Faults{"needed required"});
    Read<mapped::Lenient> const read(R"({"needed":""})");
    EXPECT_EQ(read.faults, Faults{});
    EXPECT_EQ(read.value.spare, "kept");
}

TEST(Mapper, NamesEveryWrongMemberAtOnceWithItsPath) {
    Read<Thing> const read(R"({"id":"4","flag":1,"small":2147483648,"colour":"green","maybe":5,"nothing":[],"part":[],)"
                           R"("parts":[{"name":"ok","count":1},{"name":7,"count":10},5],"class":null})");
    EXPECT_EQ(read.faults,
              (Faults{"id type", "flag type", "small type", "colour enum", "maybe type", "nothing type", "part type",
                      "parts[1].name type", "parts[1].count range", "parts[2] type", "class type"}));
}

TEST(Mapper, RulesBetweenMembersAreJudgedWithThoseOfTheMembers) {
    auto const faults = [](std::string_view text) {
        auto const document = parse_json(text);
        mapped::Ranges value;
        JsonReader reader;
        JsonType<mapped::Ranges>::read(*document, value, reader);
        std::string found;
        for (auto const& e : reader.errors()) found += e.field + " " + e.rule + ", ";
        return found;
    };
    EXPECT_EQ(faults(R"({"all":[{"from":1,"to":2}],"toFrom":{"from":1,"to":1}})"), "");
    EXPECT_EQ(faults(R"({"all":[{"from":2,"to":1,"note":1},{"from":2,"to":1}],"toFrom":{"from":3,"to":1}})"),
              "all[0].note type, all[0].to order, all[1].to order, toFrom.to order, ");
    EXPECT_EQ(faults(R"({"all":[{"from":2,"to":1}],"toFrom":{"to":-1}})"),
              "all[0].to order, toFrom.from required, toFrom.to range, ")
        << "a member that is wrong by itself is compared with nothing";
    EXPECT_EQ(from_stored_json<mapped::Range>(R"({"from":2,"to":1})").to, 1) << "what is stored is not judged again";
}

TEST(Mapper, AnOptionalMayBeAbsentButNotNull) {
    EXPECT_EQ(Read<mapped::Numbers>("{}").faults, Faults{});
    EXPECT_EQ(Read<mapped::Numbers>(R"({"narrow":null})").faults, Faults{"narrow type"});
}

TEST(Mapper, NullSaysWhatAbsenceSaysWhereThatIsDeclared) {
    for (auto const* given : {R"({"place":"Bremen","nights":null})", R"({"place":"Bremen"})"}) {
        Read<mapped::Stay> const read(given);
        EXPECT_EQ(read.faults, Faults{}) << given;
        EXPECT_FALSE(read.value.nights) << given;
        EXPECT_EQ(to_json(read.value), R"({"place":"Bremen","nights":null})") << given;
    }
    EXPECT_EQ(Read<mapped::Stay>(R"({"place":"Kiel","nights":10})").faults, Faults{"nights range"});
    EXPECT_EQ(to_json(Read<mapped::Stay>(R"({"place":"Kiel","nights":3})").value), R"({"place":"Kiel","nights":3})");
}

TEST(Mapper, AnEventLeavesOutWhatIsAbsent) {
    std::string sealed;
    FieldSealer const sealer = [&](std::string_view, std::string_view json) {
        sealed = json;
        return std::string("c2VhbGVk");
    };
    JsonWriter event(&sealer);
    write_json(event, mapped::Stay{"Bremen", {}});
    EXPECT_EQ(event.text(), R"({"place":"Bremen"})");
    JsonWriter personal(&sealer);
    write_json(personal, Personal<mapped::Stay>(mapped::Stay{"Bremen", {}}));
    EXPECT_EQ(sealed, R"({"place":"Bremen"})") << "also within what is sealed";
}

TEST(Mapper, NotesUnknownMembersWithTheirPathAndReadsOn) {
    Read<Thing> const read(
        R"({"id":4,"flag":true,"small":1,"colour":"red","nothing":null,"part":{"name":"p","count":2,"weight":1},)"
        R"("parts":[{"name":"q","count":9,"size":{}}],"class":"c","class_":"d","ID":5})");
    EXPECT_EQ(read.faults, Faults{});
    EXPECT_EQ(read.unknown, (Faults{"part.weight", "parts[0].size", "class_", "ID"}));
    EXPECT_EQ(read.value.id, 4);
}

TEST(Mapper, TakesTheFirstOfDuplicateMembers) {
    Read<mapped::Lenient> const read(R"({"needed":"first","needed":"second"})");
    EXPECT_EQ(read.value.needed, "first");
    EXPECT_EQ(read.unknown, Faults{});
}

TEST(Mapper, EnumsAreTheirWireNames) {
    EXPECT_EQ(parse_enum<mapped::Colour>("default"), mapped::Colour::default_);
    EXPECT_EQ(parse_enum<mapped::Colour>("default_"), std::nullopt);
    EXPECT_EQ(parse_enum<mapped::Colour>("Red"), std::nullopt);
    EXPECT_EQ(enum_name(mapped::Colour::default_), "default");
    auto const document = parse_json(R"("blue")");
    mapped::Colour colour{};
    JsonReader reader;
    JsonType<mapped::Colour>::read(*document, colour, reader);
    EXPECT_EQ(reader.errors().at(0).message, "must be one of red, deep_blue, default");
}

TEST(Mapper, IntegersStayWithinTheirType) {
    struct {
        std::string_view text;
        Faults faults;
    } const cases[] = {
        {R"({"narrow":2147483647})", {}},
        {R"({"narrow":2147483648})", {"narrow type"}},
        {R"({"narrow":-2147483649})", {"narrow type"}},
        {R"({"wide":9223372036854775807})", {}},
        {R"({"wide":-9223372036854775808})", {}},
        {R"({"wide":9223372036854775808})", {"wide type"}},
        {R"({"wide":1.5})", {"wide type"}},
        {R"({"tiny":256.0})", {"tiny type"}},
        {R"({"wide":true})", {"wide type"}},
        {R"({"tiny":255})", {}},
        {R"({"tiny":256})", {"tiny type"}},
        {R"({"tiny":-1})", {"tiny type"}},
    };
    for (auto const& c : cases) EXPECT_EQ(Read<mapped::Numbers>(c.text).faults, c.faults) << c.text;
}

TEST(Mapper, ANumberWithoutAFractionIsAnIntegerHoweverItIsWritten) {
    auto const document = parse_json(R"({"narrow":5.0,"wide":-9007199254740992.0,"tiny":2e1,"real":3.0})");
    ASSERT_TRUE(document);
    mapped::Numbers numbers;
    JsonReader reader;
    JsonType<mapped::Numbers>::read(*document, numbers, reader);
    EXPECT_TRUE(reader.errors().empty());
    EXPECT_EQ(numbers.narrow, 5);
    EXPECT_EQ(numbers.wide, -9007199254740992);
    EXPECT_EQ(numbers.tiny, 20);
    EXPECT_EQ(numbers.real, 3.0);
    auto const exact = parse_json(R"({"wide":-4208944803992002.0})");
    JsonType<mapped::Numbers>::read(*exact, numbers, reader);
    EXPECT_EQ(numbers.wide, -4208944803992002);
    // Past 2^53 a double stands for several integers, and so for none.
    for (auto const* text : {R"({"wide":9007199254740994.0})", R"({"wide":1e300})"}) {
        EXPECT_EQ(Read<mapped::Numbers>(text).faults, Faults{"wide type"}) << text;
    }
}

TEST(Mapper, DecimalsHaveTwoPlacesAndStayInRange) {
    struct {
        std::string_view number;
        std::int64_t hundredths;
        std::string_view fault;
    } const cases[] = {
        {"0", 0, ""},
        {"38.75", 3875, ""},
        {"0.1", 10, ""},
        {"0.29", 29, ""},
        {"99.99", 9999, ""},
        {"100", 10000, ""},
        {"1e1", 1000, ""},
        {"1.10", 110, ""},
        {"38.849999999999994", 3885, ""},  // what binary fractions make of 38.85
        {"12.3400009", 1234, ""},
        {"12.3399991", 1234, ""},
        {"100.0000005", 10000, ""},
        {"-0.0000005", 0, ""},
        {"12.340002", 0, "decimals"},
        {"12.339998", 0, "decimals"},
        {"100.00001", 0, "range"},
        {"12.345", 0, "decimals"},
        {"0.001", 0, "decimals"},
        {"100.01", 0, "range"},
        {"-0.01", 0, "range"},
        {"1e300", 0, "range"},
        {R"("5")", 0, "type"},
        {"null", 0, "type"},
    };
    for (auto const& c : cases) {
        Read<mapped::Numbers> const read(R"({"money":)" + std::string(c.number) + "}");
        if (c.fault.empty()) {
            EXPECT_EQ(read.faults, Faults{}) << c.number;
            EXPECT_EQ(read.value.money->hundredths, c.hundredths) << c.number;
        } else {
            EXPECT_EQ(read.faults, Faults{"money " + std::string(c.fault)}) << c.number;
        }
    }
}

TEST(Mapper, DecimalsAreWrittenWithoutTrailingZeros) {
    std::pair<std::int64_t, std::string> const cases[] = {{0, "0"},       {5, "0.05"},     {50, "0.5"},
                                                          {1250, "12.5"}, {1205, "12.05"}, {1200, "12"},
                                                          {-5, "-0.05"},  {-1250, "-12.5"}};
    for (auto const& [hundredths, text] : cases) EXPECT_EQ(format_hundredths(hundredths), text);
}

TEST(Mapper, EveryDecimalOfTwoPlacesComesBack) {
    for (std::int64_t hundredths = 0; hundredths <= 1'000'000; hundredths += 7) {
        auto const document = parse_json(to_json(Rate{hundredths}));
        Rate rate;
        JsonReader reader;
        JsonType<Rate>::read(*document, rate, reader);
        ASSERT_TRUE(reader.errors().empty()) << hundredths;
        ASSERT_EQ(rate.hundredths, hundredths);
    }
}

TEST(Mapper, ArraysFromOutsideHaveAtMostAHundredItems) {
    auto const numbers = [](int count) {
        std::string text = "[";
        for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(i);
        return text + "]";
    };
    EXPECT_EQ(Read<std::vector<std::int64_t>>(numbers(100)).faults, Faults{});
    EXPECT_EQ(Read<std::vector<std::int64_t>>(numbers(101)).faults, Faults{" max_items"});
    Read<std::vector<std::int64_t>> const stored(numbers(101), JsonReader::Trust::stored);
    EXPECT_EQ(stored.faults, Faults{});
    EXPECT_EQ(stored.value.size(), 101U);
}

TEST(Mapper, StoredTextIsNotHeldToLimitsOfToday) {
    Read<mapped::Part> const read(R"({"name":"p","count":500,"gone":1})", JsonReader::Trust::stored);
    EXPECT_EQ(read.faults, Faults{});
    EXPECT_EQ(read.value.count, 500);
    EXPECT_EQ(read.unknown, Faults{});
    EXPECT_THROW(from_stored_json<mapped::Part>(R"({"name":"p"})"), std::runtime_error);
    EXPECT_THROW(from_stored_json<mapped::Part>("{"), std::runtime_error);
}

TEST(ValidationProblem, NamesAllFieldsInTheDetailsAndSomeInTheMessage) {
    std::vector<FieldError> errors;
    for (int i = 0; i < 7; ++i) errors.push_back({"f" + std::to_string(i), "type", "must be a string"});
    auto const problem = validation_problem(errors);
    EXPECT_EQ(problem.code, Code::validation_error);
    EXPECT_EQ(nlohmann::json::parse(problem.details).at("fields").size(), 7U);
    EXPECT_NE(problem.message.find("7 fields"), std::string::npos);
    EXPECT_NE(problem.message.find("f4 must"), std::string::npos);
    EXPECT_EQ(problem.message.find("f5 must"), std::string::npos);
    EXPECT_FALSE(nlohmann::json::parse(problem.details).contains("total"));
    errors.assign(250, {std::string(1000, 'f'), "type", std::string(5000, 'm')});
    auto const many = validation_problem(errors);
    EXPECT_EQ(nlohmann::json::parse(many.details).at("fields").size(), 100U);
    EXPECT_EQ(nlohmann::json::parse(many.details).at("total"), 250);
    EXPECT_TRUE(many.message.starts_with("250 fields"));
    EXPECT_LT(many.details.size() + many.message.size(), 100'000U);
    EXPECT_NE(validation_problem({{"", "type", "must be an object"}}).message.find("the body must"), std::string::npos);
}

TEST(Schema, FollowsFromTheDeclaration) {
    JsonWriter w;
    w.begin_object();
    JsonType<Thing>::schema(w);
    w.end_object();
    auto const schema = nlohmann::json::parse(w.text());
    EXPECT_EQ(schema.at("required"),
              nlohmann::json::parse(R"(["id","flag","small","colour","nothing","part","parts","class"])"));
    EXPECT_EQ(schema.at("properties").at("colour").at("enum"),
              nlohmann::json::parse(R"(["red","deep_blue","default"])"));
    EXPECT_EQ(schema.at("properties").at("maybe"), nlohmann::json::parse(R"({"type":"string"})"));
    EXPECT_EQ(schema.at("properties").at("nothing").at("anyOf").size(), 2U);
    EXPECT_EQ(schema.at("properties").at("parts").at("items").at("properties").at("count"),
              nlohmann::json::parse(R"({"type":"integer","minimum":1,"maximum":9})"));
}

}  // namespace
}  // namespace workforce::core
