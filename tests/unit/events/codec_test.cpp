// The bytes of the log: what is written, that it comes back, what is sealed, and what is refused.
#include "events/codec.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/nesting.hpp"
#include "events/agent.hpp"
#include "events/agent_run.hpp"
#include "events/command.hpp"
#include "events/credential.hpp"
#include "events/staff.hpp"
#include "events/user.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using events::DamagedEvent;
using events::Encoder;
using events::Envelope;
using events::Event;
using events::UnknownEvent;
using nlohmann::json;

std::string encode(Event const& event, events::Keyring& keyring) {
    return Encoder(std::string(kSampleSource), keyring).encode(event.meta, event.data);
}

/// All attributes as text, for comparing envelopes.
std::string flat(Envelope const& m) {
    return json{{"id", m.id},
                {"type", m.type},
                {"version", m.version},
                {"time", m.time.ms},
                {"subject", to_string(m.subject)},
                {"organization", m.organization},
                {"facility", m.facility},
                {"facilities", m.facilities},
                {"sandbox", m.sandbox},
                {"seq", m.seq},
                {"actor", core::enum_name(m.actor.type)},
                {"actorid", m.actor.id},
                {"actoruser", m.actor.user},
                {"credential", m.credential},
                {"client", m.client_id},
                {"channel", m.channel},
                {"verb", m.verb},
                {"request", m.request_id},
                {"causation", m.causation_id},
                {"run", m.run_id},
                {"correlation", m.correlation_id},
                {"depth", m.depth},
                {"idemkey", m.idempotency_key},
                {"idemhash", m.idempotency_hash},
                {"epoch", m.epoch},
                {"position", m.position},
                {"prevhash", m.previous_hash},
                {"index", m.command_index},
                {"count", m.command_count}}
        .dump();
}

TEST(Samples, CoverTheCatalogue) {
    std::multiset<std::string> sampled, known;
    for (auto const& sample : sample_events()) sampled.insert(sample.meta.type);
    for (auto const& type : events::event_types()) known.emplace(type.type);
    EXPECT_EQ(sampled, known);
}

TEST(Catalogue, TypesAreUniqueAndLeadWithTheirKind) {
    std::set<std::string> seen;
    for (auto const& event : sample_events()) {
        EXPECT_TRUE(seen.insert(event.meta.type).second) << event.meta.type;
        EXPECT_TRUE(event.meta.type.starts_with(std::string(core::enum_name(event.data.kind())) + "."));
    }
}

TEST(Codec, EveryEventComesBack) {
    for (auto const& event : sample_events()) {
        MemoryKeyring keyring;
        auto const body = encode(event, keyring);
        EXPECT_EQ(body.find('\n'), std::string::npos);
        auto const back = events::decode(body, keyring);
        EXPECT_EQ(flat(back.meta), flat(event.meta));
        EXPECT_EQ(clear_data(back.data), clear_data(event.data)) << event.meta.type;
        EXPECT_EQ(type_of(back.data), type_of(event.data));
    }
}

/// Without members that are sealed, at any depth.
json without_sealed(json const& value) {
    if (value.is_array()) {
        auto items = json::array();
        for (auto const& item : value) items.push_back(without_sealed(item));
        return items;
    }
    if (!value.is_object()) return value;
    auto members = json::object();
    for (auto const& [name, member] : value.items()) {
        bool const sealed = member.is_object() && member.size() == 1 && member.contains("sealed");
        if (!sealed) members[name] = without_sealed(member);
    }
    return members;
}

/// The members of an event that are declared internal, taken out. `requester` has some of its own.
json without_internal(json data) {
    for (auto const* const name : {"sealedFor", "lineage", "dedupeKey", "accountId"}) data.erase(name);
    if (data.contains("requester")) {
        for (auto const* const name : {"credentialId", "lineage", "clientId"}) data["requester"].erase(name);
    }
    return data;
}

TEST(Codec, WhatIsToldIsTheRecordsWithoutWhatIsSealedOrInternal) {
    std::size_t personal = 0, internal = 0;
    for (auto const& event : sample_events()) {
        MemoryKeyring keyring;
        auto const stored = json::parse(encode(event, keyring)).at("data");
        core::JsonWriter writer;
        writer.leave_out_absent().leave_out_untold();
        events::write_data(writer, event.data);
        auto const clear = without_sealed(stored);
        EXPECT_EQ(json::parse(writer.text()), without_internal(clear)) << event.meta.type;
        if (stored != clear) ++personal;
        if (clear != without_internal(clear)) ++internal;
    }
    EXPECT_GT(personal, 10U) << "or the samples have nothing personal";
    EXPECT_GT(internal, 5U) << "or nothing internal";
}

TEST(Codec, EveryAttributeComesBack) {
    MemoryKeyring keyring;
    auto event = sample_of("staff.deactivated");
    event.meta.sandbox = true;
    event.meta.facilities = {12, 9'007'199'254'740'993};
    event.meta.causation_id = "019f9391-4900-7a00-8000-00000000beef";
    event.meta.client_id = "client-7";
    event.meta.channel = "mcp";
    event.meta.verb = "staff.deactivate";
    event.meta.run_id = "44";
    event.meta.correlation_id = "req_019f9391-4900-7a00-8000-00000000cafe";
    event.meta.depth = 2;
    event.meta.idempotency_key = "k";
    event.meta.idempotency_hash = "h";
    event.meta.actor.type = events::ActorType::agent;
    event.meta.command_index = 2;
    event.meta.command_count = 3;
    EXPECT_EQ(flat(events::decode(encode(event, keyring), keyring).meta), flat(event.meta));
}

TEST(Codec, WritesCloudEventsWithNumbersAsDecimalStrings) {
    MemoryKeyring keyring;
    auto const record = json::parse(encode(sample_of("shift.posted"), keyring));
    EXPECT_EQ(record.at("specversion"), "1.0");
    EXPECT_EQ(record.at("source"), kSampleSource);
    EXPECT_EQ(record.at("type"), "shift.posted");
    EXPECT_EQ(record.at("subject"), "shift/90210");
    EXPECT_EQ(record.at("dataschema"), "urn:workforce:event:shift.posted:2");
    EXPECT_EQ(record.at("datacontenttype"), "application/json");
    EXPECT_EQ(record.at("time"), "2026-07-24T10:00:12.012Z");
    EXPECT_EQ(record.at("orgid"), "7");
    EXPECT_EQ(record.at("facilityid"), "12");
    EXPECT_EQ(record.at("seq"), "13");
    EXPECT_EQ(record.at("position"), "9007199254741005");
    EXPECT_EQ(record.at("epoch"), "3");
    EXPECT_EQ(record.at("cmdindex"), 1);
    EXPECT_EQ(record.at("cmdcount"), 1);
    for (auto const& [name, value] : record.items()) {
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos) << name;
        if (name != "data") EXPECT_FALSE(value.is_number() && name != "cmdindex" && name != "cmdcount") << name;
    }
}

TEST(Codec, LeavesOutWhatDoesNotApply) {
    MemoryKeyring keyring;
    auto event = sample_of("shift.started");
    event.meta.facility = 0;
    event.meta.actor = {};
    event.meta.credential = 0;
    event.meta.request_id.clear();
    auto const record = json::parse(encode(event, keyring));
    for (auto const* name : {"facilityid", "sandbox", "actorid", "actoruser", "credentialid", "requestid",
                             "causationid", "runid", "depth", "idemkey", "idemhash"}) {
        EXPECT_FALSE(record.contains(name)) << name;
    }
    EXPECT_EQ(record.at("actortype"), "system");
    EXPECT_EQ(record.at("data"), json::object());
    EXPECT_FALSE(json::parse(encode(sample_of("command.answered"), keyring)).contains("seq"));
    auto const updated = json::parse(encode(sample_of("shift.updated"), keyring)).at("data");
    EXPECT_EQ(updated.size(), 4U) << updated;  // only the fields that changed
}

TEST(Sealing, NothingPersonalStandsInClear) {
    // Long texts, or such that base64url can't hold: what is short turns up in sealed text by chance.
    MemoryKeyring keyring;
    std::pair<std::string, std::vector<std::string>> const personal[] = {
        {"staff.onboarded",
         {"Achterberg", "zoe.", "151 5550", "photos", "brother", "Elm House", "Night", "Hochschule", "HR-00481"}},
        {"staff.updated", {"151 5550", "Hochschule"}},
        {"user.created", {"mara.lind@"}},
        {"command.answered", {"firstName"}},
        {"credential.added", {"DE-HB-2021-44871", "documents.example"}},
        {"credential.updated", {"DE-HB-2026-51002"}},
    };
    for (auto const& [type, secrets] : personal) {
        auto const body = encode(sample_of(type), keyring);
        for (auto const& secret : secrets)
            EXPECT_EQ(json::parse(body).at("data").dump().find(secret), std::string::npos) << type << " " << secret;
    }
    // What is about the work and not the person stays readable to everybody.
    auto const data = json::parse(encode(sample_of("staff.onboarded"), keyring)).at("data");
    EXPECT_EQ(data.at("specialty"), "icu");
    EXPECT_EQ(data.at("hourlyRate"), 38.75);
}

TEST(Codec, WritesNothingThatItCanNotRead) {
    MemoryKeyring keyring;
    auto const nested = [](std::size_t levels) {
        return events::RunValue{std::string(levels, '[') + std::string(levels, ']')};
    };
    auto clear = sample_of("agent.created");
    auto sealed = sample_of("agent_run.completed");
    auto const set = [&](std::size_t levels) {
        auto created = events::get<events::AgentCreated>(clear.data);
        created.output.value = nested(levels);
        clear.data = events::AgentEvent(std::move(created));
        auto completed = events::get<events::AgentRunCompleted>(sealed.data);
        completed.output.value = nested(levels);
        sealed.data = events::AgentRunEvent(std::move(completed));
    };
    set(core::kMostParsedNesting - 2);  // within the record and its data
    EXPECT_EQ(clear_data(events::decode(encode(clear, keyring), keyring).data), clear_data(clear.data));
    EXPECT_EQ(clear_data(events::decode(encode(sealed, keyring), keyring).data), clear_data(sealed.data));
    set(core::kMostParsedNesting + 1);
    EXPECT_THROW(encode(clear, keyring), std::length_error);
    EXPECT_THROW(encode(sealed, keyring), std::length_error);
}

TEST(Sealing, TheSameValueNeverLooksTheSame) {
    MemoryKeyring keyring;
    EXPECT_NE(encode(sample_of("user.created"), keyring), encode(sample_of("user.created"), keyring));
}

TEST(Sealing, UsesThePersonsKey) {
    MemoryKeyring keyring;
    auto const staff = encode(sample_of("staff.onboarded"), keyring);
    auto const user = encode(sample_of("user.created"), keyring);
    auto const answer = encode(sample_of("command.answered"), keyring);
    auto const license = encode(sample_of("credential.added"), keyring);
    keyring.destroy("staff/481");
    auto const erased = events::get<events::StaffOnboarded>(events::decode(staff, keyring).data);
    EXPECT_TRUE(erased.firstName.erased && erased.email.erased && erased.workHistory.erased);
    EXPECT_EQ(erased.email.value.value, "");
    EXPECT_TRUE(erased.workHistory.value.empty());
    EXPECT_EQ(erased.specialty.value, "icu");
    auto const kept = events::get<events::UserCreated>(events::decode(user, keyring).data);
    EXPECT_EQ(kept.lastName.value.value, "Lind");
    // An answer that tells of the person is sealed for the person.
    auto const told = events::get<events::CommandAnswered>(events::decode(answer, keyring).data);
    EXPECT_TRUE(told.body.erased);
    // So is what is theirs.
    auto const held = events::get<events::CredentialAdded>(events::decode(license, keyring).data);
    EXPECT_TRUE(held.number.erased && held.documentUrl.erased);
    EXPECT_EQ(held.number.value.value, "");
    EXPECT_EQ(held.name.value, "Registered Nurse");
    EXPECT_THROW(encode(sample_of("staff.updated"), keyring), std::runtime_error);
    EXPECT_THROW(encode(sample_of("credential.updated"), keyring), std::runtime_error);
    EXPECT_NO_THROW(encode(sample_of("credential.verified"), keyring));
}

TEST(Sealing, WhoReadsOfAnErasureOpensNothingAfterwards) {
    MemoryKeyring keyring;
    events::Encoder const encoder("urn:workforce:test", keyring);
    auto const onboarded = sample_of("staff.onboarded");
    auto const erased = sample_of("staff.erased");
    std::vector<events::Record> const records{{0, encoder.encode(onboarded.meta, onboarded.data)},
                                              {1, encoder.encode(erased.meta, erased.data)}};
    ASSERT_EQ(onboarded.meta.subject, erased.meta.subject);
    auto const first = events::decode_all(records, keyring);
    EXPECT_EQ(clear_data(first[0].data), clear_data(onboarded.data)) << "it was not erased yet at that place";
    EXPECT_EQ(keyring.key_to_open(to_string(onboarded.meta.subject)), std::nullopt);
    auto const again = events::get<events::StaffOnboarded>(events::decode_all(records, keyring)[0].data);
    EXPECT_TRUE(again.email.erased);
}

TEST(Codec, ANumberNobodyCanHoldDoesNoHarm) {
    SampleKeyring keyring;
    auto body = encode(sample_of("shift.deleted"), keyring);
    auto const data = body.find(R"("data":{)");
    ASSERT_NE(data, std::string::npos);
    auto const more = body[data + 8] == '}' ? "" : ",";
    body.insert(data + 8, std::string(R"("n":0.00000000000001e-2147483639)") + more);
    EXPECT_NO_THROW(events::decode(body, keyring));
}

TEST(Sealing, AnotherKeyOpensNothing) {
    MemoryKeyring keyring;
    MemoryKeyring other;
    auto const body = encode(sample_of("user.created"), keyring);
    other.key_to_seal("user/31");
    EXPECT_THROW(events::decode(body, other), DamagedEvent);
}

TEST(Sealing, AValueIsTiedToItsFieldAndItsEvent) {
    MemoryKeyring keyring;
    auto const body = json::parse(encode(sample_of("user.created"), keyring));
    auto moved = body;
    moved["data"]["firstName"] = body["data"]["lastName"];
    EXPECT_THROW(events::decode(moved.dump(), keyring), DamagedEvent);
    auto elsewhere = body;
    elsewhere["id"] = "019f9391-4900-7a00-8000-00000000dead";
    EXPECT_THROW(events::decode(elsewhere.dump(), keyring), DamagedEvent);
    auto touched = body;
    std::string sealed = touched["data"]["email"]["sealed"];
    sealed[20] = sealed[20] == 'A' ? 'B' : 'A';
    touched["data"]["email"]["sealed"] = sealed;
    EXPECT_THROW(events::decode(touched.dump(), keyring), DamagedEvent);
    EXPECT_NO_THROW(events::decode(body.dump(), keyring));
}

TEST(Sealing, ClearTextInItsPlaceIsDamage) {
    MemoryKeyring keyring;
    auto record = json::parse(encode(sample_of("user.created"), keyring));
    record["data"]["email"] = "mara.lind@harbour.example";
    EXPECT_THROW(events::decode(record.dump(), keyring), DamagedEvent);
}

/// The sample with one change.
template <class F>
std::string changed(std::string_view type, events::Keyring& keyring, F change) {
    auto record = json::parse(encode(sample_of(type), keyring));
    change(record);
    return record.dump();
}

TEST(Decode, StopsAtWhatAnUpgradeMayKnow) {
    MemoryKeyring keyring;
    auto const with = [&](auto change) { return changed("shift.unassigned", keyring, change); };
    EXPECT_THROW(events::decode(with([](json& r) { r["type"] = "shift.teleported"; }), keyring), UnknownEvent);
    EXPECT_THROW(
        events::decode(with([](json& r) { r["dataschema"] = "urn:workforce:event:shift.unassigned:2"; }), keyring),
        UnknownEvent);
    EXPECT_THROW(
        events::decode(with([](json& r) { r["dataschema"] = "urn:workforce:event:shift.unassigned:0"; }), keyring),
        UnknownEvent);
    EXPECT_THROW(events::decode(with([](json& r) { r["subject"] = "spaceship/1"; }), keyring), UnknownEvent);
}

TEST(Decode, RefusesDamage) {
    MemoryKeyring keyring;
    for (std::string const body : {"", "{", "[]", "5", "{}", "null"})
        EXPECT_THROW(events::decode(body, keyring), DamagedEvent) << body;
    std::vector<void (*)(json&)> const damages = {
        [](json& r) { r["specversion"] = "0.3"; },
        [](json& r) { r.erase("specversion"); },
        [](json& r) { r.erase("dataschema"); },
        [](json& r) { r["dataschema"] = 5; },
        [](json& r) { r["dataschema"] = "urn:workforce:event:shift.unassigned:one"; },
        [](json& r) { r["dataschema"] = "urn:workforce:event:shift.unassigned:4294967297"; },
        [](json& r) { r.erase("time"); },
        [](json& r) { r["time"] = "yesterday"; },
        [](json& r) { r.erase("data"); },
        [](json& r) { r["data"] = 5; },
        [](json& r) { r["data"].erase("staffId"); },
        [](json& r) { r["data"]["staffId"] = "481"; },
        [](json& r) { r["actortype"] = "ghost"; },
        [](json& r) { r["orgid"] = 7; },
        [](json& r) { r["orgid"] = "seven"; },
        [](json& r) { r["orgid"] = "7 "; },
        [](json& r) { r["position"] = "99999999999999999999"; },
        [](json& r) { r["cmdindex"] = "1"; },
        [](json& r) { r["id"] = 5; },
        [](json& r) { r["prevhash"] = nullptr; },
    };
    for (std::size_t i = 0; i < damages.size(); ++i) {
        EXPECT_THROW(events::decode(changed("shift.unassigned", keyring, damages[i]), keyring), DamagedEvent) << i;
    }
    EXPECT_THROW(
        events::decode(changed("command.answered", keyring, [](json& r) { r["data"]["sealedFor"] = 5; }), keyring),
        DamagedEvent);
    EXPECT_THROW(
        events::decode(changed("command.answered", keyring, [](json& r) { r["data"].erase("sealedFor"); }), keyring),
        DamagedEvent);
}

TEST(Decode, OfAnAttributeTheFirstCounts) {
    MemoryKeyring keyring;
    auto body = encode(sample_of("shift.unassigned"), keyring);
    auto const position = events::decode(body, keyring).meta.position;
    body.pop_back();
    body += R"(,"position":"999999","type":"shift.teleported"})";
    EXPECT_EQ(events::decode(body, keyring).meta.position, position);
}

TEST(Decode, BodiesOfAnyLengthAreReadToTheirEnd) {
    MemoryKeyring keyring;
    auto const body = encode(sample_of("shift.unassigned"), keyring);
    auto const beginning = body.substr(0, body.size() - 1) + R"(,"tomorrow":")";
    auto const longest = std::size_t{8192} + 40;  // past the length from which it is parsed another way
    for (auto size = beginning.size() + 2; size <= longest; size += size < longest - 100 ? 37 : 1) {
        auto const text = beginning + std::string(size - beginning.size() - 2, 'x') + "\"}";
        EXPECT_NO_THROW(events::decode(text, keyring)) << size;
        EXPECT_THROW(events::decode(text.substr(0, size - 1), keyring), DamagedEvent) << size;
    }
    for (std::size_t size = 0; size < 40; ++size) {
        EXPECT_THROW(events::decode(body.substr(0, size), keyring), DamagedEvent) << size;
    }
    EXPECT_THROW(events::decode(body + "}", keyring), DamagedEvent);
}

TEST(Decode, TextsComeBackWhateverTheyHold) {
    MemoryKeyring keyring;
    std::string const long_text(100, 'y');
    for (auto const& text : {std::string("short"), "\"quoted\" " + long_text, long_text + "\n\\" + long_text,
                             std::string("a\0b", 3) + long_text, "Zoë " + long_text}) {
        auto const with = [&](json& r) { r["requestid"] = text; };
        json record = json::parse(encode(sample_of("shift.unassigned"), keyring));
        with(record);
        EXPECT_EQ(events::decode(record.dump(), keyring).meta.request_id, text);
    }
}

TEST(Decode, FacilitiesAreNumbersWithCommas) {
    MemoryKeyring keyring;
    for (json const& value : {json("1,"), json(",1"), json("1,,2"), json("1 2"), json("x"), json(1)}) {
        auto const with = [&](json& r) { r["facilityids"] = value; };
        EXPECT_THROW(events::decode(changed("staff.deactivated", keyring, with), keyring), DamagedEvent) << value;
    }
}

TEST(Decode, MembersOfTomorrowDoNoHarm) {
    MemoryKeyring keyring;
    EXPECT_NO_THROW(events::decode(changed("shift.unassigned", keyring,
                                           [](json& r) {
                                               r["traceparent"] = "00-1";
                                               r["data"]["note"] = "new";
                                           }),
                                   keyring));
}

TEST(Decode, NestingAsDeepAsARecordCanHoldDoesNoHarm) {
    MemoryKeyring keyring;
    auto body = encode(sample_of("shift.unassigned"), keyring);
    auto const depth = (events::kMaxRecordBytes - body.size() - 100) / 2;
    body.pop_back();
    body += R"(,"tomorrow":)" + std::string(depth, '[') + std::string(depth, ']') + '}';
    EXPECT_NO_THROW(events::decode(body, keyring));
    body.resize(body.size() / 2);
    EXPECT_THROW(events::decode(body, keyring), DamagedEvent);
}

TEST(DecodeAll, NamesThePositionOfTheFault) {
    MemoryKeyring keyring;
    std::vector<events::Record> records = {{40, encode(sample_of("user.created"), keyring)}, {41, "{"}};
    auto const message = [&]() -> std::string {
        try {
            events::decode_all(records, keyring);
            return "nothing thrown";
        } catch (std::runtime_error const& e) {
            return e.what();
        }
    };
    EXPECT_TRUE(message().starts_with("position 41: ")) << message();
    records[1].body = changed("shift.started", keyring, [](json& r) { r["type"] = "shift.teleported"; });
    EXPECT_TRUE(message().starts_with("position 41: ")) << message();
    records.pop_back();
    EXPECT_EQ(events::decode_all(records, keyring).size(), 1U);
    EXPECT_TRUE(events::decode_all({}, keyring).empty());
}

TEST(DecodeAll, FetchesTheKeysOfAllPersonsAtOnce) {
    struct Counting final : events::Keyring {
        MemoryKeyring keys;
        std::vector<std::set<std::string>> prefetched;
        std::string key_to_seal(std::string const& person) override { return keys.key_to_seal(person); }
        std::optional<std::string> key_to_open(std::string const& person) override { return keys.key_to_open(person); }
        void prefetch(std::span<std::string const> persons) override {
            prefetched.emplace_back(persons.begin(), persons.end());
        }
        void persist() override {}
        [[nodiscard]] bool has_unstored() const override { return false; }
        void forget(std::string const&) override {}
    } keyring;
    std::vector<events::Record> records;
    for (auto const& event : sample_events()) records.push_back({event.meta.position, encode(event, keyring)});
    EXPECT_EQ(events::decode_all(records, keyring).size(), records.size());
    ASSERT_EQ(keyring.prefetched.size(), 1U);
    EXPECT_EQ(keyring.prefetched[0],
              (std::set<std::string>{"agent_run/5501", "app/71", "approval/3100", "conversation/601", "lead/7003",
                                     "staff/481", "staff/482", "user/31"}));
}

TEST(Aggregates, NamesAreReadBack) {
    for (auto const& event : sample_events()) {
        EXPECT_EQ(events::parse_aggregate(to_string(event.meta.subject)), event.meta.subject);
    }
    for (auto const* bad : {"", "shift", "shift/", "shift/0", "shift/-1", "shift/1x", "shift/ 1", "Shift/1", "ship/1",
                            "/1", "shift/99999999999999999999", "command/1/2"}) {
        EXPECT_EQ(events::parse_aggregate(bad), std::nullopt) << bad;
    }
}

}  // namespace
}  // namespace workforce::tests
