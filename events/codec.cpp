// Encoding and decoding of log records.
#include "events/codec.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "core/crypto.hpp"
#include "core/nesting.hpp"
#include "events/catalogue.hpp"
#include "events/data_codec.hpp"
#include "events/envelope_codec.hpp"
#include "events/upcast.hpp"

namespace workforce::events {
namespace {

using core::JsonReader;
using core::JsonValue;
using core::JsonWriter;

std::string associated_data(std::string_view event_id, std::string_view path) {
    std::string text(event_id);
    text += ' ';
    text += path;
    return text;
}

/// Calls f(codec, group) with the codec of the event's aggregate.
template <class F>
decltype(auto) with_codec(AnyEvent const& event, F f) {
    return visit_group(event,
                       [&]<class Group>(Group const& group) -> decltype(auto) { return f(DataCodec<Group>(), group); });
}

/// Reads data of that type, opening what is sealed.
AnyEvent read_data(DataType const& type, JsonValue const& value, Envelope const& meta, Keyring& keyring) {
    std::string person = to_string(meta.subject);
    if (type.names_key) {
        if (!value.IsObject() || !value.HasMember("sealedFor") || !value["sealedFor"].IsString()) {
            throw DamagedEvent("data.sealedFor is no string");
        }
        person = value["sealedFor"].GetString();
    }
    std::optional<std::optional<std::string>> key;  // asked for once, and only when something is sealed
    core::FieldOpener const opener = [&](std::string_view path, std::string_view sealed) -> std::optional<std::string> {
        if (!key) key = keyring.key_to_open(person);
        if (!*key) return std::nullopt;
        auto const bytes = core::base64url_decode(sealed);
        auto opened = bytes ? core::aes_gcm_open(**key, *bytes, associated_data(meta.id, path)) : std::nullopt;
        if (!opened) throw DamagedEvent("a sealed field of " + person + " does not open: " + std::string(path));
        return opened;
    };
    JsonReader reader(JsonReader::Trust::stored, &opener);
    auto data = type.read(value, reader);
    if (!reader.errors().empty()) {
        throw DamagedEvent("data." + reader.errors().front().field + " " + reader.errors().front().message);
    }
    // Whoever has read of the erasure opens nothing of the person any more, whether the key is destroyed by then or
    // not.
    if (type.erases) keyring.forget(person);
    return data;
}

/// Calls f(type) for every event type.
template <class F>
void for_each_event_type(F f) {
    for_each_kind<Kinds>([&](Kind, auto constant) {
        for (auto const& type : DataCodec<EventsOf<decltype(constant)>>::types()) f(type);
    });
}

std::unordered_map<std::string_view, DataType> const& data_types() {
    static auto const table = [] {
        std::unordered_map<std::string_view, DataType> all;
        for_each_event_type([&](DataType const& type) { all.emplace(type.type, type); });
        return all;
    }();
    return table;
}

/// The row between that version and the next one. Errors: UnknownEvent.
Upcaster const& upcaster(std::string_view type, int from) {
    auto const* found = std::find_if(kUpcasters.begin(), kUpcasters.end(),
                                     [&](Upcaster const& u) { return u.type == type && u.from == from; });
    if (found == kUpcasters.end()) {
        throw UnknownEvent(std::string(type) + " version " + std::to_string(from) + " has no upcaster");
    }
    return *found;
}

/// Brings `data` from version `from` to `to`.
void upcast(std::string_view type, int from, int to, JsonValue& data, rapidjson::Document::AllocatorType& allocator) {
    for (int version = from; version < to; ++version) upcaster(type, version).apply(data, allocator);
}

/// The JSON of data at version `from`, as the older version `to` has it.
std::string downcast(std::string_view type, int from, int to, std::string const& json) {
    rapidjson::Document data;
    data.Parse(json.data(), json.size());
    for (int version = from; version > to; --version) upcaster(type, version - 1).revert(data, data.GetAllocator());
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    data.Accept(writer);
    return {text.GetString(), text.GetSize()};
}

Event decode_document(rapidjson::Document& document, Keyring& keyring) {
    auto meta = read_attributes(document);
    auto const found = data_types().find(meta.type);
    if (found == data_types().end()) throw UnknownEvent("event type " + meta.type + " is not known to this build");
    if (meta.version > found->second.version || meta.version < 1) {
        throw UnknownEvent(meta.type + " version " + std::to_string(meta.version) + " is not known to this build");
    }
    auto data = document.FindMember("data");
    if (data == document.MemberEnd()) throw DamagedEvent("has no data");
    upcast(meta.type, meta.version, found->second.version, data->value, document.GetAllocator());
    meta.version = found->second.version;
    auto any = read_data(found->second, data->value, meta, keyring);
    return {std::move(meta), std::move(any)};
}

/// A record's body, parsed in place: strings of the document are where the text has them, and searched for 16 bytes at
/// a time. Moves keep the text where it is.
struct ParsedRecord {
    std::vector<char> text;
    rapidjson::Document document;
};

ParsedRecord parse_record(std::string_view body) {
    // Parsing by recursion is the faster one, but anyone may write to Kafka, and a long text can nest deeper than a
    // stack.
    constexpr std::size_t kMostRecursive = 8 * 1024;
    constexpr std::size_t kSearched = 16;
    ParsedRecord record;
    record.text.reserve((body.size() / kSearched + 1) * kSearched);  // a search goes on to the end of its block
    record.text.assign(body.begin(), body.end());
    record.text.resize(record.text.capacity());  // with zeros, of which the first ends the text
    auto& document = record.document;
    if (body.size() <= kMostRecursive) {
        document.ParseInsitu(record.text.data());
    } else {
        document.ParseInsitu<rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag>(record.text.data());
    }
    if (document.HasParseError() || !document.IsObject()) throw DamagedEvent("is no JSON object");
    return record;
}

/// Whose keys open what is sealed in a record.
void add_persons(JsonValue const& document, std::unordered_set<std::string>& persons) {
    auto const subject = attribute_text(document, "subject");
    auto const ref = parse_aggregate(subject);
    if (ref && is_person(ref->kind)) persons.emplace(subject);
    auto const data = document.FindMember("data");
    if (data != document.MemberEnd() && data->value.IsObject() && data->value.HasMember("sealedFor") &&
        data->value["sealedFor"].IsString()) {
        persons.emplace(data->value["sealedFor"].GetString());
    }
}

/// Calls read(document) for each record, with the keys of all persons fetched before. Returns their names.
template <class F>
std::vector<std::string> read_all(std::vector<Record> const& records, Keyring& keyring, F read) {
    std::vector<ParsedRecord> parsed;
    parsed.reserve(records.size());
    std::unordered_set<std::string> persons;
    std::vector<std::string> names;
    std::size_t at = 0;
    try {
        for (; at < records.size(); ++at) {
            add_persons(parsed.emplace_back(parse_record(records[at].body)).document, persons);
        }
        names.assign(persons.begin(), persons.end());
        if (!names.empty()) keyring.prefetch(names);
        for (at = 0; at < parsed.size(); ++at) read(parsed[at].document);
    } catch (UnknownEvent const& e) {
        throw UnknownEvent("position " + std::to_string(records[at].position) + ": " + e.what());
    } catch (DamagedEvent const& e) {
        throw DamagedEvent("position " + std::to_string(records[at].position) + ": " + e.what());
    }
    return names;
}

}  // namespace

std::string_view type_of(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return std::remove_cvref_t<decltype(data)>::kType; });
}
std::int32_t version_of(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return std::remove_cvref_t<decltype(data)>::kVersion; });
}

void write_data(core::JsonWriter& writer, AnyEvent const& event) {
    with_codec(event, [&](auto codec, auto const& group) { codec.write(writer, group); });
}

std::string_view sealed_for(AnyEvent const& event) {
    return with_codec(event, [](auto codec, auto const& group) { return codec.sealed_for(group); });
}

std::string data_schema(std::string_view type, std::int32_t version) {
    return "urn:workforce:event:" + std::string(type) + ':' + std::to_string(version);
}

std::vector<EventVersion> const& known_versions() {
    static auto const all = [] {
        std::vector<EventVersion> versions;
        for_each_event_type([&](DataType const& type) { versions.push_back({type.type, type.version}); });
        versions.push_back({kEnvelopeName, kEnvelopeRevision});
        return versions;
    }();
    return all;
}

bool Encoder::may_write(AnyEvent const& data) const {
    if (activations_ == nullptr) return true;
    auto const least = visit_data(data, []<class E>(E const& event) -> std::int32_t {
        if constexpr (requires { event.needs_newest(); }) {
            if (event.needs_newest()) return E::kVersion;
        }
        return 1;
    });
    return activations_->version_to_write(type_of(data)) >= least;
}

std::int32_t Encoder::version_to_write(AnyEvent const& data) const {
    auto const newest = version_of(data);
    return activations_ == nullptr ? newest : std::min(newest, activations_->version_to_write(type_of(data)));
}

std::int32_t Encoder::envelope_revision() const {
    return activations_ == nullptr ? kEnvelopeRevision : activations_->version_to_write(kEnvelopeName);
}

namespace {

/// Throws std::length_error where the JSON can't be parsed again: an event with it would stop whatever folds the log.
void require_readable(std::string_view json) {
    if (core::is_nested_deeper(json, core::kMostParsedNesting)) {
        throw std::length_error("an event is nested deeper than can be read");
    }
}

}  // namespace

std::string Encoder::encode(Envelope const& meta, AnyEvent const& event) const {
    auto body = with_codec(event, [&](auto codec, auto const& group) {
        std::optional<std::string> key;
        core::FieldSealer const sealer = [&](std::string_view path, std::string_view json) {
            if (!key) {
                std::string const named(codec.sealed_for(group));
                key = keyring_.key_to_seal(named.empty() ? to_string(meta.subject) : named);
            }
            require_readable(json);
            return core::base64url_encode(core::aes_gcm_seal(*key, json, associated_data(meta.id, path)));
        };
        auto const version = version_to_write(event);
        JsonWriter w(&sealer);
        w.begin_object();
        write_attributes(w, meta, source_, type_of(event), version, envelope_revision());
        w.key("data");
        if (version == version_of(event)) {
            codec.write(w, group);
        } else {
            JsonWriter newest(&sealer);
            codec.write(newest, group);
            w.raw(downcast(type_of(event), version_of(event), version, newest.take()));
        }
        w.end_object();
        return w.take();
    });
    require_readable(body);
    return body;
}

Event decode(std::string_view body, Keyring& keyring) {
    auto record = parse_record(body);
    return decode_document(record.document, keyring);
}

std::vector<Event> decode_all(std::vector<Record> const& records, Keyring& keyring) {
    std::vector<Event> events;
    events.reserve(records.size());
    read_all(records, keyring,
             [&](rapidjson::Document& document) { events.push_back(decode_document(document, keyring)); });
    return events;
}

std::vector<std::string> open_all(std::vector<Record> const& records, Keyring& keyring) {
    std::vector<std::string> opened;
    opened.reserve(records.size());
    auto const persons = read_all(records, keyring, [&](rapidjson::Document& document) {
        std::string const source(attribute_text(document, "source"));
        auto const event = decode_document(document, keyring);
        JsonWriter w;
        w.begin_object();
        write_attributes(w, event.meta, source, event.meta.type, event.meta.version);
        w.key("data");
        with_codec(event.data, [&](auto codec, auto const& group) { codec.write(w, group); });
        w.end_object();
        opened.push_back(w.take());
    });
    for (auto const& person : persons) keyring.release(person);
    return opened;
}

std::vector<EventType> event_types() {
    std::vector<EventType> all;
    for_each_event_type([&](DataType const& type) {
        core::FieldSealer const sealed;  // its presence alone makes personal fields' schemas the sealed ones
        JsonWriter w(&sealed);
        w.begin_object();
        w.member("$schema", "https://json-schema.org/draft/2020-12/schema");
        w.member("$id", data_schema(type.type, type.version));
        w.member("title", type.type);
        type.schema(w);
        w.end_object();
        all.push_back({type.type, type.version, w.take()});
    });
    return all;
}

}  // namespace workforce::events
