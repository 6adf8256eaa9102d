// Events to and from the bytes of the log: CloudEvents 1.0 in JSON, personal fields sealed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "events/activations.hpp"
#include "events/event.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// A record of a type or version that this build does not know: the reader must stop there (an upgrade is due).
struct UnknownEvent : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A record that does not decode: it is not what a writer of ours appended.
struct DamagedEvent : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Type name and newest version of an event's data.
std::string_view type_of(AnyEvent const& event);
std::int32_t version_of(AnyEvent const& event);
/// Writes the data as a JSON object, of those members that the writer shows.
void write_data(core::JsonWriter& writer, AnyEvent const& event);
/// Whose key seals the event's personal fields where its data names somebody ("staff/42"); empty: its subject's does.
std::string_view sealed_for(AnyEvent const& event);

/// Writes events of one installation. Thread-safe as far as the keyring is.
class Encoder {
   public:
    /// `source` is the CloudEvents source, urn:workforce:<installation>. Keyring and activations outlive the encoder;
    /// without activations, everything is written at its newest version.
    Encoder(std::string source, Keyring& keyring, Activations const* activations = nullptr)
        : source_(std::move(source)), keyring_(keyring), activations_(activations) {}

    /// Whether the event may be written: at whatever version, unless it says that it `needs_newest()`, for older ones
    /// lack what must not be lost.
    [[nodiscard]] bool may_write(AnyEvent const& data) const;
    /// The record's bytes: one line of JSON. meta.type and meta.version are taken from the data, the version from the
    /// newest one that is activated. Errors: std::length_error where data are nested deeper than decode() reads, which
    /// would stop whatever folds the log.
    [[nodiscard]] std::string encode(Envelope const& meta, AnyEvent const& data) const;

   private:
    [[nodiscard]] std::int32_t version_to_write(AnyEvent const& data) const;
    [[nodiscard]] std::int32_t envelope_revision() const;

    std::string source_;
    Keyring& keyring_;
    Activations const* activations_;
};

/// Reads one record; older versions come through their upcasters. Errors: UnknownEvent, DamagedEvent.
Event decode(std::string_view body, Keyring& keyring);

/// Reads a batch, with the keys of all its persons fetched in one round trip. Errors as decode, naming the position.
std::vector<Event> decode_all(std::vector<Record> const& records, Keyring& keyring);

/// Records as JSON with their personal fields in clear, those of destroyed keys as the fields' empty values; an older
/// version comes as the newest one. Keys are asked for anew at each call and forgotten after it, so that one destroyed
/// meanwhile opens nothing. Errors as decode_all.
std::vector<std::string> open_all(std::vector<Record> const& records, Keyring& keyring);

/// One event type as documentation and checks need it.
struct EventType {
    std::string_view type;
    std::int32_t version = 1;
    std::string schema;  ///< JSON Schema of `data` as it stands in the log, with sealed fields
};
/// Every event type at its newest version, in the catalogue's order.
std::vector<EventType> event_types();

/// "urn:workforce:event:shift.posted:1", the dataschema attribute.
std::string data_schema(std::string_view type, std::int32_t version);

}  // namespace workforce::events
