// Writing definitions until none is missing.
#include "operations/schema/components.hpp"

#include <stdexcept>

namespace workforce::operations {

void Components::refer(core::JsonWriter& w, std::string const& name, Definition definition) {
    auto const [known, added] = definitions_.emplace(name, definition);
    if (!added && known->second != definition) throw std::logic_error("two schemas are called " + name);
    w.member("$ref", prefix_ + name);
}

void Components::write(core::JsonWriter& w) {
    std::map<std::string, std::string> texts;
    while (texts.size() < definitions_.size()) {
        for (auto const& [name, definition] : std::map(definitions_)) {
            if (texts.contains(name)) continue;
            core::JsonWriter own;
            own.begin_object();
            definition(own, *this);
            own.end_object();
            texts.emplace(name, own.take());
        }
    }
    for (auto const& [name, text] : texts) {
        w.key(name);
        w.raw(text);
    }
}

}  // namespace workforce::operations
