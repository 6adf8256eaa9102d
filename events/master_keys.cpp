// Keys in memory.
#include "events/master_keys.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/crypto.hpp"
#include "events/log/heads.hpp"

namespace workforce::events {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kIdDigits = 16;

std::string derive(std::string const& key, std::string_view purpose) {
    return purpose == kMasterItself ? key : std::string(core::bytes(core::hmac_sha256(key, purpose)));
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        auto const word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (!word.empty()) all.emplace_back(word);
    }
    return all;
}

}  // namespace

std::string master_key_id(std::string_view key) {
    return core::hex_encode(core::bytes(core::hmac_sha256(key, "master key id"))).substr(0, kIdDigits);
}

struct MasterKeys::State {
    mutable std::mutex mutex;
    std::vector<std::string> keys;  // the one in use first
    std::map<std::string, std::string, std::less<>> kept;
};

MasterKeys::MasterKeys(std::string const& key) : MasterKeys(std::vector{key}) {}

MasterKeys::MasterKeys(std::vector<std::string> keys) : state_(std::make_shared<State>()) {
    if (keys.empty()) throw std::invalid_argument("there has to be a master key");
    for (auto& key : keys) {
        if (key.size() != kKeyBytes) throw std::invalid_argument("the master key must have 32 bytes");
        if (std::ranges::find(state_->keys, key) == state_->keys.end()) state_->keys.push_back(std::move(key));
    }
}

std::string MasterKeys::in_use() const {
    std::lock_guard const lock(state_->mutex);
    return state_->keys.front();
}

std::vector<std::string> MasterKeys::all() const {
    std::lock_guard const lock(state_->mutex);
    return state_->keys;
}

std::vector<std::string> MasterKeys::ids() const {
    auto keys = all();
    for (auto& key : keys) key = master_key_id(key);
    return keys;
}

bool MasterKeys::use(std::string_view id) const {
    std::lock_guard const lock(state_->mutex);
    auto const found = std::ranges::find(state_->keys, id, [](std::string const& key) { return master_key_id(key); });
    if (found == state_->keys.end()) return false;
    // What is kept is of the key that was in use.
    for (auto const purpose : kKeptPurposes) {
        state_->kept.try_emplace(std::string(purpose), derive(state_->keys.front(), purpose));
    }
    std::rotate(state_->keys.begin(), found, found + 1);
    return true;
}

std::vector<std::string> MasterKeys::derive_all(std::string_view purpose) const {
    auto keys = all();
    for (auto& key : keys) key = derive(key, purpose);
    return keys;
}

std::string MasterKeys::seal(std::string_view purpose, std::string_view text, std::string_view aad) const {
    return core::aes_gcm_seal(derive(in_use(), purpose), text, aad);
}

std::optional<std::string> MasterKeys::open(std::string_view purpose, std::string_view sealed,
                                            std::string_view aad) const {
    for (auto const& key : derive_all(purpose)) {
        if (auto text = core::aes_gcm_open(key, sealed, aad)) return text;
    }
    return std::nullopt;
}

std::string MasterKeys::kept(std::string_view purpose) const {
    if (std::ranges::find(kKeptPurposes, purpose) == kKeptPurposes.end()) {
        throw std::logic_error("no key is kept for " + std::string(purpose) + ": add it to kKeptPurposes");
    }
    std::lock_guard const lock(state_->mutex);
    if (auto const found = state_->kept.find(purpose); found != state_->kept.end()) return found->second;
    return derive(state_->keys.front(), purpose);
}

void MasterKeys::keep(std::string_view name, std::string text) const {
    std::lock_guard const lock(state_->mutex);
    state_->kept.insert_or_assign(std::string(name), std::move(text));
}

std::vector<std::string> MasterKeys::public_keys() const {
    std::vector<std::string> publics;
    for (auto const& key : all()) publics.push_back(HeadSigner("", key).public_key());
    std::lock_guard const lock(state_->mutex);
    auto const found = state_->kept.find(kFormerPublicKeys);
    for (auto& key : words(found == state_->kept.end() ? "" : found->second)) {
        if (std::ranges::find(publics, key) == publics.end()) publics.push_back(std::move(key));
    }
    return publics;
}

}  // namespace workforce::events
