// The files under schemas/events/: schemas equal to what the code says, and a record of every event version that was
// ever written, which opens for ever.
//
// A new event or version needs its record: run these tests with WORKFORCE_WRITE_SAMPLES=1 set, which writes those that
// are missing and touches no other. Schemas are written by `workforce schemas`.
#include "events/schema_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "events/codec.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path root() { return WORKFORCE_SOURCE_DIR; }

std::string stem_of(std::string_view type, std::int32_t version) {
    return "schemas/events/" + std::string(type) + ".v" + std::to_string(version);
}

std::string read(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("can't read " + path.string());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A record as the log holds it: the file's one line.
std::string read_record(fs::path const& path) {
    auto text = read(path);
    if (text.empty() || text.back() != '\n') throw std::runtime_error(path.string() + " does not end its line");
    text.pop_back();
    return text;
}

/// What a schema says of a document: the first fault, or "" for none.
class Checker {
   public:
    explicit Checker(json const& schema) {
        valijson::SchemaParser parser;
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), schema_);
    }
    [[nodiscard]] std::string fault(json const& document) const {
        valijson::Validator validator;
        valijson::ValidationResults results;
        valijson::adapters::NlohmannJsonAdapter const target(document);
        if (validator.validate(schema_, target, &results)) return "";
        valijson::ValidationResults::Error error;
        std::string text = "refused";
        while (results.popError(error)) text += "; " + error.description;
        return text;
    }

   private:
    valijson::Schema schema_;
};

/// A value of a type that `value` is not.
json of_another_type(json const& value) { return value.is_boolean() ? json("text") : json(true); }

/// Whether the schema takes values of every type.
bool takes_anything(json const& schema) {
    for (auto const& one : schema.value("anyOf", json::array())) {
        if (one.empty()) return true;
    }
    return schema.empty();
}

/// The schema without what texts must look like, which the validator compiles anew for each document.
json without_patterns(json schema) {
    for (auto const* name : {"pattern", "format"}) {
        if (schema.is_object() && schema.contains(name) && schema.at(name).is_string()) schema.erase(name);
    }
    if (schema.is_structured()) {
        for (auto& each : schema) each = without_patterns(std::move(each));
    }
    return schema;
}

void write_missing_samples() {
    SampleKeyring keyring;
    events::Encoder const encoder(std::string(kSampleSource), keyring);
    fs::create_directories(root() / "schemas/events");
    for (auto const& event : sample_events()) {
        auto const path = root() / (stem_of(event.meta.type, event.meta.version) + ".json");
        if (!fs::exists(path)) std::ofstream(path, std::ios::binary) << encoder.encode(event.meta, event.data) << '\n';
    }
}

class EventFiles : public testing::Test {
   protected:
    static void SetUpTestSuite() {
        if (std::getenv("WORKFORCE_WRITE_SAMPLES") != nullptr) write_missing_samples();
    }
};

TEST_F(EventFiles, SchemasAreWhatTheCodeSays) {
    auto const files = events::event_schema_files();
    EXPECT_EQ(files.size(), events::event_types().size());
    for (auto const& file : files) {
        ASSERT_TRUE(fs::exists(root() / file.path)) << file.path << " is missing: run `workforce schemas`";
        EXPECT_EQ(read(root() / file.path), file.text) << file.path;
    }
}

TEST_F(EventFiles, EveryVersionHasARecordAndASchema) {
    for (auto const& type : events::event_types()) {
        for (std::int32_t version = 1; version <= type.version; ++version) {
            EXPECT_TRUE(fs::exists(root() / (stem_of(type.type, version) + ".json"))) << type.type << " " << version;
            EXPECT_TRUE(fs::exists(root() / (stem_of(type.type, version) + ".schema.json")))
                << type.type << " " << version;
        }
    }
}

TEST_F(EventFiles, EveryRecordEverWrittenDecodes) {
    SampleKeyring keyring;
    std::size_t count = 0;
    for (auto const& entry : fs::directory_iterator(root() / "schemas/events")) {
        auto const name = entry.path().filename().string();
        if (name.ends_with(".schema.json")) continue;
        auto const event = events::decode(read_record(entry.path()), keyring);
        EXPECT_TRUE(name.starts_with(event.meta.type + ".v")) << name;
        ++count;
    }
    EXPECT_GE(count, events::event_types().size());
}

TEST_F(EventFiles, RecordsOfTheNewestVersionSayWhatWasPutIn) {
    SampleKeyring keyring;
    for (auto const& sample : sample_events()) {
        auto const path = root() / (stem_of(sample.meta.type, sample.meta.version) + ".json");
        auto const event = events::decode(read_record(path), keyring);
        EXPECT_EQ(clear_data(event.data), clear_data(sample.data)) << path;
        EXPECT_EQ(event.meta.id, sample.meta.id);
        EXPECT_EQ(event.meta.time, sample.meta.time);
        EXPECT_EQ(event.meta.position, sample.meta.position);
    }
}

TEST_F(EventFiles, RecordsAreValidBySchema) {
    for (auto const& type : events::event_types()) {
        auto const stem = stem_of(type.type, type.version);
        Checker const checker(json::parse(read(root() / (stem + ".schema.json"))));
        EXPECT_EQ(checker.fault(json::parse(read_record(root() / (stem + ".json")))), "") << stem;
    }
}

TEST_F(EventFiles, BrokenRecordsAreRefused) {
    json first;  // the schema of the first type
    for (auto const& type : events::event_types()) {
        auto const stem = stem_of(type.type, type.version);
        auto const schema = json::parse(read(root() / (stem + ".schema.json")));
        auto const record = json::parse(read_record(root() / (stem + ".json")));
        Checker const checker(without_patterns(schema));
        if (first.is_null()) first = schema;
        // Attributes that all events have are said alike, and tried with the first.
        auto const tried = [&](std::string const& name) {
            auto const& attributes = first.at("properties");
            return schema != first && attributes.contains(name) &&
                   attributes.at(name) == schema.at("properties").at(name);
        };
        for (auto const& name : schema.at("required")) {
            if (schema.at("required") == first.at("required") && tried(name.get<std::string>())) continue;
            auto broken = record;
            ASSERT_EQ(broken.erase(name.get<std::string>()), 1U) << stem << " " << name;
            EXPECT_NE(checker.fault(broken), "") << stem << " without " << name;
        }
        for (auto const& [name, value] : record.items()) {
            if (tried(name)) continue;
            auto broken = record;
            broken[name] = of_another_type(value);
            EXPECT_NE(checker.fault(broken), "") << stem << " with another type of " << name;
        }
        auto const& data = schema.at("properties").at("data");
        for (auto const& name : data.value("required", json::array())) {
            auto broken = record;
            ASSERT_EQ(broken["data"].erase(name.get<std::string>()), 1U) << stem << " data." << name;
            EXPECT_NE(checker.fault(broken), "") << stem << " without data." << name;
        }
        for (auto const& [name, value] : record.at("data").items()) {
            ASSERT_TRUE(data.at("properties").contains(name)) << stem << " data." << name;
            if (takes_anything(data.at("properties").at(name))) continue;
            auto broken = record;
            broken["data"][name] = of_another_type(value);
            EXPECT_NE(checker.fault(broken), "") << stem << " with another type of data." << name;
        }
    }
}

TEST_F(EventFiles, AttributesAreHeldToTheirForm) {
    auto const stem = stem_of("shift.posted", 1);
    Checker const checker(json::parse(read(root() / (stem + ".schema.json"))));
    auto const record = json::parse(read_record(root() / (stem + ".json")));
    std::pair<std::string, json> const cases[] = {
        {"specversion", "0.3"},
        {"id", "1"},
        {"type", "shift.filled"},
        {"subject", "staff/1"},
        {"subject", "shift/0"},
        {"orgid", "07"},
        {"orgid", 7},
        {"position", "-1"},
        {"prevhash", "abc"},
        {"time", "yesterday"},
        {"actortype", "ghost"},
        {"dataschema", "urn:workforce:event:shift.posted:2"},
        {"sandbox", false},
        {"cmdindex", 0},
        {"cmdcount", "1"},
        {"source", "elsewhere"},
    };
    for (auto const& [name, value] : cases) {
        auto broken = record;
        broken[name] = value;
        EXPECT_NE(checker.fault(broken), "") << name << " " << value;
    }
    auto broken = record;
    broken["data"]["urgency"] = "extreme";
    EXPECT_NE(checker.fault(broken), "");
    broken = record;
    broken["data"]["breaks"][0].erase("paid");
    EXPECT_NE(checker.fault(broken), "");
    broken = record;
    broken["data"]["endTime"] = "25:00";
    EXPECT_NE(checker.fault(broken), "");
}

TEST_F(EventFiles, SealedFieldsShowNothingInTheFiles) {
    auto const text = read(root() / (stem_of("staff.onboarded", 1) + ".json"));
    for (auto const* secret : {"Achterberg", "zoe.", "5550", "brother"})
        EXPECT_EQ(text.find(secret), std::string::npos) << secret;
}

}  // namespace
}  // namespace workforce::tests
