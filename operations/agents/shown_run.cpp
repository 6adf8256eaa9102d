// What is left out of runs.
#include "operations/agents/shown_run.hpp"

#include <algorithm>

#include "core/any_json.hpp"
#include "core/json_values.hpp"
#include "operations/tools/tool.hpp"
#include "operations/tools/tool_gate.hpp"

namespace workforce::operations {
namespace {

using Value = rapidjson::Value;
using Memory = rapidjson::Document::AllocatorType;

Tool const* tool_of(Value const& step) {
    auto const name = core::as_text(core::find_member(&step, "tool"));
    return name ? find_tool(*name) : nullptr;
}

/// The items of an array that is a member; none where it is none.
template <class Each>
void for_each_of(Value& owner, char const* member, Each each) {
    auto const found = owner.FindMember(member);
    if (found == owner.MemberEnd() || !found->value.IsArray()) return;
    for (auto& item : found->value.GetArray()) each(item);
}

void blank(Value& owner, char const* member, rapidjson::Type type) {
    if (auto const found = owner.FindMember(member); found != owner.MemberEnd()) found->value = Value(type);
}

void redact(Value& owner, char const* member, Memory& memory) {
    auto const found = owner.FindMember(member);
    if (found == owner.MemberEnd()) return;
    auto const redacted = core::parse_json(core::without_secrets(found->value));
    if (redacted) found->value.CopyFrom(*redacted, memory);
}

class ShownRun {
   public:
    ShownRun(Caller const& caller, Value& run, Memory& memory) : caller_(caller), run_(run), memory_(memory) {
        auto const* user = core::find_member(&run, "runAsUserId");
        own_ = user != nullptr && user->IsInt64() && caller.user.id != 0 && user->GetInt64() == caller.user.id;
    }

    void show() {
        redact(run_, "input", memory_);
        for_each_of(run_, "plan", [&](Value& step) {
            if (goes_outside(step)) redact(step, "arguments", memory_);
        });
        bool hidden = false;
        bool outside = false;
        for_each_of(run_, "steps", [&](Value& step) {
            outside = outside || goes_outside(step);
            hidden = !show_step(step) || hidden;
        });
        if (hidden) {
            blank(run_, "output", rapidjson::kNullType);
        } else if (outside) {
            redact(run_, "output", memory_);
        }
    }

   private:
    static bool goes_outside(Value const& step) {
        auto const* const tool = tool_of(step);
        return tool != nullptr && tool->operation->asks_provider;
    }

    /// Returns whether all of the step is shown.
    bool show_step(Value& step) {
        auto const* const tool = tool_of(step);
        bool const may_know = own_ || tool == nullptr || !lacking(caller_, *tool->operation);
        auto const show_call = [&](Value& call) {
            if (!may_know) {
                blank(call, "arguments", rapidjson::kObjectType);
            } else if (goes_outside(step)) {
                redact(call, "arguments", memory_);
            }
        };
        show_call(step);
        for_each_of(step, "items", show_call);
        if (!may_know) {
            blank(step, "result", rapidjson::kNullType);
        } else if (goes_outside(step)) {
            redact(step, "result", memory_);
        }
        return may_know;
    }

    Caller const& caller_;
    Value& run_;
    Memory& memory_;
    bool own_ = false;
};

}  // namespace

std::string shown_runs(Caller const& caller, std::string body) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
    if (document.HasParseError() || !document.IsObject()) return body;
    auto& memory = document.GetAllocator();
    if (document.HasMember("data")) {
        for_each_of(document, "data", [&](Value& run) { ShownRun(caller, run, memory).show(); });
    } else {
        ShownRun(caller, document, memory).show();
    }
    return core::json_of(document);
}

}  // namespace workforce::operations
