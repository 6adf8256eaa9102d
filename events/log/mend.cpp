// Records of mends, and the search for them.
#include "events/log/mend.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "events/attributes.hpp"
#include "events/log/chain.hpp"

namespace workforce::events {
namespace {

/// Stands near the beginning of each mend, so that it costs little to tell other records from them. Not at the very
/// beginning: readers in other languages take what begins with a type of the log's own for one that does not count.
constexpr std::string_view kTypeMember = R"(,"type":"log.mended",)";
constexpr std::size_t kBeginning = 512;
/// Nobody's mend is larger.
constexpr std::size_t kMostBytes = 8 * 1024;
constexpr std::size_t kPageRecords = 2000;
constexpr std::size_t kPageBytes = std::size_t{4} << 20;

std::string hash_at(EventLog& log, int partition, std::int64_t position) {
    auto const records = log.read(partition, position, 1, 1);
    return records.empty() ? "" : record_hash(records.front().body);
}

}  // namespace

std::string signed_text(std::string_view installation, int partition, Mend const& mend) {
    return fmt::format("workforce log mend 1\n{}\n{}\n{}\n{}\n{}\n{}\n", installation, partition, mend.first, mend.last,
                       mend.hash, mend.why);
}

Mend sign_mend(HeadSigner const& signer, int partition, std::int64_t first, Head const& last, std::string why) {
    Mend mend{.first = first, .last = last.position, .hash = last.hash, .why = std::move(why), .signature = {}};
    mend.signature = signer.signature_of(signed_text(signer.installation(), partition, mend));
    return mend;
}

std::string make_record(HeadSigner const& signer, Claim const& claim, Mend const& mend, core::Timestamp time) {
    core::JsonWriter w;
    w.begin_object();
    w.member("specversion", "1.0");
    w.member("id", core::uuid_v7(time));
    w.member("source", "urn:workforce:" + signer.installation());
    w.member("type", kMendType);
    w.member("time", core::to_string(time));
    w.member("subject", fmt::format("log/{}", claim.partition));
    w.member("datacontenttype", "application/json");
    w.member("epoch", std::to_string(claim.epoch));
    w.member("position", std::to_string(claim.head.position + 1));
    w.member("prevhash", claim.head.hash);
    w.member("cmdindex", 1);
    w.member("cmdcount", 1);
    w.key("data");
    core::write_json(w, mend);
    w.end_object();
    return w.take();
}

std::optional<Mend> mend_of(std::string_view body) {
    bool const may_be =
        body.size() <= kMostBytes && body.substr(0, kBeginning).find(kTypeMember) != std::string_view::npos;
    if (!may_be || attribute(body, "type") != kMendType) return std::nullopt;
    auto const document = core::parse_json(body);
    if (!document || !document->IsObject()) return std::nullopt;
    auto const data = document->FindMember("data");
    if (data == document->MemberEnd()) return std::nullopt;
    Mend mend;
    core::JsonReader reader;
    core::JsonType<Mend>::read(data->value, mend, reader);
    if (!reader.errors().empty()) return std::nullopt;
    return mend;
}

bool is_signed(Mend const& mend, int partition, LogKey const& key) {
    return is_signed_by(key.public_keys, signed_text(key.installation, partition, mend), mend.signature);
}

std::optional<Mend> counting_mend(EventLog& log, int partition, std::string_view body) {
    auto mend = mend_of(body);
    if (!mend) return std::nullopt;
    auto const standing = standing_of(body);
    bool const stands_behind = standing && 0 <= mend->first && mend->first <= mend->last &&
                               mend->last < standing->position && standing->command_count == 1;
    if (!stands_behind || !is_signed(*mend, partition, log.key())) return std::nullopt;
    bool const next_to_it = standing->position == mend->last + 1;
    if (mend->hash != (next_to_it ? std::string(standing->previous_hash) : hash_at(log, partition, mend->last))) {
        return std::nullopt;
    }
    return mend;
}

std::optional<Mend> find_mend(EventLog& log, int partition, std::int64_t position) {
    for (auto next = position + 1;;) {
        auto const records = log.read(partition, next, kPageRecords, kPageBytes);
        if (records.empty()) return std::nullopt;
        for (auto const& record : records) {
            auto mend = counting_mend(log, partition, record.body);
            if (mend && mend->first <= position && position <= mend->last) return mend;
        }
        next = records.back().position + 1;
    }
}

}  // namespace workforce::events
