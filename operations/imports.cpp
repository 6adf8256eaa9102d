// Files that are decided some rows at a time, so that neither a writer nor an append is taken up by one for long.
#include "operations/imports.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "commands/import.hpp"
#include "core/crypto.hpp"
#include "core/json_duplicates.hpp"
#include "core/json_values.hpp"
#include "operations/declare.hpp"
#include "operations/import_file.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

struct ImportQuery : TargetQuery {
    std::optional<bool> dryRun;
    std::optional<Id> facilityId;
};
BOOST_DESCRIBE_STRUCT(ImportQuery, (TargetQuery), (dryRun, facilityId))

/// The report of a file.
struct ImportReport {
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t failed = 0;
    std::vector<commands::ImportedRow> rows;
};
BOOST_DESCRIBE_STRUCT(ImportReport, (), (created, updated, failed, rows))

template <>
struct ApiExample<ImportReport> {
    static void write(core::JsonWriter& w, Side, ImportReport const&) {
        w.raw(R"({"created":1,"updated":0,"failed":1,"rows":[{"line":2,"status":"created","id":1,"errors":[]},)"
              R"({"line":3,"status":"failed","id":null,"errors":[{"code":"VALIDATION_ERROR","field":"email",)"
              R"("rule":"email","message":"must be an e-mail address"}]}]})");
    }
};

namespace {

using boost::asio::awaitable;
using commands::ImportShifts;
using commands::ImportStaff;
using events::Kind;

/// Rows that one command decides: their answer is far from what a record may have, and a writer is at it for some
/// milliseconds.
constexpr std::size_t kRowsOfCommand = 200;

/// How files of a kind read: the row's key is the member `kKey` of both commands.
template <class Import>
struct FileOf;
template <>
struct FileOf<ImportStaff> {
    static constexpr auto kKind = Kind::staff;
    static constexpr std::string_view kKey = "email";
    static constexpr std::string_view kFacility{};  // a facility that is said for all rows is no column of them
    static constexpr core::Permission kUpdate{"staff.edit"};
    static std::string const& key(ImportStaff::Line const& line) { return line.create.email.value.value; }
    static ImportHeader const& header() {
        static ImportHeader const header{
            columns_of<commands::CreateStaff>(),
            {events::StaffDetails::kRequired.begin(), events::StaffDetails::kRequired.end()}};
        return header;
    }
};
template <>
struct FileOf<ImportShifts> {
    static constexpr auto kKind = Kind::shift;
    static constexpr std::string_view kKey = "externalId";
    static constexpr std::string_view kFacility = "facilityId";
    static constexpr core::Permission kUpdate{"shifts.edit"};
    static std::string const& key(ImportShifts::Line const& line) { return line.create.externalId.value; }
    /// People come to shifts by commands that say under which rules: `assignedStaffIds` is no column.
    static ImportHeader const& header() {
        static ImportHeader const header{
            columns_of<events::ShiftDetails>(),
            {events::ShiftDetails::kRequired.begin(), events::ShiftDetails::kRequired.end()}};
        return header;
    }
};

/// The file's header where a request says the facility of all rows.
template <class Import>
ImportHeader header_of(std::optional<Id> facility) {
    auto header = FileOf<Import>::header();
    if (facility) std::erase(header.required, FileOf<Import>::kFacility);
    return header;
}

/// A file on its way: what was asked, the rows, and what is known once all are read.
struct OpenImport {
    ImportQuery query;
    ImportHeader header;
    ImportFile file;
    std::map<std::string, std::int64_t, std::less<>> keys{};  // the line of each
    std::set<std::string> ignored{};                          // members of cells that are JSON
};

/// The fault of a row whose key stands in an earlier one.
std::optional<core::Problem> repeated_key(OpenImport& import, std::int64_t line, std::string_view column,
                                          std::string const& key) {
    if (key.empty()) return std::nullopt;
    auto const [found, added] = import.keys.emplace(key, line);
    if (added || found->second == line) return std::nullopt;
    return core::Problem{core::Code::duplicate_resource, "Line " + std::to_string(found->second) +
                                                             " of the file has the same " + std::string(column) + "."};
}

bool is_faulty(core::JsonReader const& reader, std::string_view member) {
    return std::ranges::any_of(reader.errors(), [&](auto const& error) { return error.field == member; });
}

template <class Import>
typename Import::Line read_line(OpenImport& import, ImportRow const& row) {
    using File = FileOf<Import>;
    typename Import::Line line{.line = row.line, .fault = row.fault, .key = {}, .create_fault = {}, .update_fault = {}};
    if (line.fault) return line;
    auto object = object_of_row(row.cells, import.file.columns);
    if (auto const repeated = core::duplicate_members(object); !repeated.empty()) {
        line.fault = core::validation_problem(repeated);
        return line;
    }
    auto const& facility = import.query.facilityId;
    if (facility && !File::kFacility.empty() && core::find_member(&object, File::kFacility) == nullptr) {
        object.AddMember(rapidjson::StringRef(File::kFacility.data(), File::kFacility.size()), *facility,
                         object.GetAllocator());
    }
    core::JsonReader create, update;
    line.create_fault = read_fields(object, line.create, create);
    line.update_fault = read_fields(object, line.update, update);
    if (!is_faulty(create, File::kKey)) line.key = File::key(line);
    line.fault = repeated_key(import, line.line, File::kKey, line.key);
    import.ignored.insert(create.unknown().begin(), create.unknown().end());
    return line;
}

template <class Import>
core::Result<OpenImport> open_import(Call const& call) {
    if (auto const known = refuse_unknown_parameters(call); !known) return tl::unexpected(known.error());
    auto query = read_query<ImportQuery>(call.input.parameters);
    if (!query) return tl::unexpected(query.error());
    auto const& body = *call.input.body;
    if (!body) return tl::unexpected(body.error());
    auto header = header_of<Import>(query->facilityId);
    auto file = read_import_file(core::text_of(*body), header);
    if (!file) return tl::unexpected(file.error());
    // The file's columns are within the header, whose elements stay where they are when it is moved.
    return OpenImport{*query, std::move(header), *std::move(file)};
}

/// The command of the rows from `begin` on, at most so many.
template <class Import>
Import command_of(OpenImport& import, std::size_t begin, std::size_t most, Caller const& caller) {
    Import command;
    auto const end = std::min(begin + most, import.file.rows.size());
    command.lines.reserve(end - begin);
    for (auto i = begin; i < end; ++i) {
        command.lines.push_back(read_line<Import>(import, import.file.rows[i]));
        import.file.rows[i].cells = {};
    }
    command.facilityId = import.query.facilityId;
    if (!caller.permits(FileOf<Import>::kUpdate)) command.lacks_update = without(caller, FileOf<Import>::kUpdate);
    command.dry_run = import.query.dryRun.value_or(false);
    return command;
}

/// The idempotency of a request's command that begins with that row. The first one has the request's own, so that the
/// key means the same for all operations.
std::optional<commands::Idempotency> idempotency_from(std::optional<commands::Idempotency> const& request,
                                                      std::size_t begin) {
    if (!request || begin == 0) return request;
    auto const name = request->key + " from row " + std::to_string(begin);
    return commands::Idempotency{core::base64url_encode(core::bytes(core::sha256(name))), request->fingerprint};
}

void add_rows(std::string const& body, ImportReport& report) {
    auto answered = core::from_stored_json<commands::ImportedRows>(body);
    for (auto const& row : answered.rows) {
        using enum commands::ImportStatus;
        ++(row.status == created ? report.created : row.status == updated ? report.updated : report.failed);
    }
    std::ranges::move(answered.rows, std::back_inserter(report.rows));
}

/// A file in commands one after another, a dry run too, so that a writer is at none for long. All that was
/// decided before one is refused as a whole (the log is away, say) stays: whoever repeats the request gets the answers
/// of what was decided under its key, and else finds the rows there.
template <class Import>
awaitable<Outcome> import_rows(Call& call) {
    auto import = open_import<Import>(call);
    if (!import) {
        co_return co_await submit(call, submission_of(call, core::Result<Import>(tl::unexpected(import.error()))), 0);
    }
    call.meta.expected_versions.reset();  // it is about no single one
    bool const dry_run = import->query.dryRun.value_or(false);
    auto const request = dry_run ? std::nullopt : std::move(call.meta.idempotency);
    Outcome all{.replayed = true};
    ImportReport report;
    do {
        auto const begin = report.rows.size();
        auto command = command_of<Import>(*import, begin, kRowsOfCommand, *call.caller);
        auto const count = command.lines.size();
        auto submission = submission_of(call, core::Result<Import>(std::move(command)));
        if (!dry_run && count > 0) {
            submission.context.new_ids = co_await call.services.processor.ids().take(FileOf<Import>::kKind, count);
        }
        call.meta.idempotency = idempotency_from(request, begin);
        auto outcome = co_await submit(call, std::move(submission), 0);
        if (outcome.status != call.operation.success) co_return outcome;
        add_rows(outcome.body, report);
        all.replayed = all.replayed && outcome.replayed;
        if (all.facility == 0) all.facility = outcome.facility;
        if (count > 0 && report.rows.size() == begin) throw std::logic_error("a command decided none of its rows");
    } while (report.rows.size() < import->file.rows.size());
    warn_ignored(call, "fields", {import->ignored.begin(), import->ignored.end()});
    all.body = core::to_json(report);
    co_return all;
}

/// The schema of the body: a text, whose columns are named.
template <class Import>
void write_file_schema(core::JsonWriter& w, Components&) {
    std::string columns;
    for (auto const& column : FileOf<Import>::header().columns) columns += (columns.empty() ? "" : ", ") + column.name;
    w.member("type", "string");
    w.member("description", "RFC 4180 in UTF-8, with a header. Columns: " + columns);
}

template <class Import, auto Example>
Operation import_row(std::string_view name, std::string_view summary) {
    auto row = query_with<ImportReport, ImportQuery>(name, summary, import_rows<Import>);
    row.effect = Effect::write;
    row.body = write_file_schema<Import>;
    row.body_required = true;
    row.body_example = Example;
    return std::move(row).takes(MediaType::csv, kMaxImport);
}

void write_staff_example(core::JsonWriter& w) {
    w.string("firstName,lastName,email,specialty,skills\r\nAda,Byron,ada@example.com,Nurse,triage|wound care\r\n");
}

void write_shift_example(core::JsonWriter& w) {
    w.string(
        "externalId,facilityId,title,date,startTime,endTime\r\n"
        "roster-17,1,Night,2026-07-25,22:00,06:00\r\n");
}

}  // namespace

Operation staff_import() {
    return import_row<ImportStaff, &write_staff_example>("staff.import_csv", "Import staff from a CSV file")
        .says(
            "Takes up to 5,000 rows. A row whose e-mail address somebody of the organization has changes that "
            "person as {staff.update} does, which takes staff.edit; another one adds a person as {staff.create} "
            "does. A row that is refused stops no other, and is told with its errors. Blank cells say nothing. A "
            "dry run changes nothing, and reports what the request would.")
        .needs("staff.create")
        .at(net::Method::post, "/api/staff/import");
}

Operation shift_import() {
    return import_row<ImportShifts, &write_shift_example>("shifts.import_csv", "Import shifts from a CSV file")
        .says(
            "Takes up to 5,000 rows. A row whose externalId a shift has changes that shift as {shifts.update} does, "
            "which takes shifts.edit; another one posts a shift as {shifts.create} does, and so does one without "
            "externalId, each time. A row that is refused stops no other, and is told with its errors. Blank cells "
            "say nothing. A dry run changes nothing, and reports what the request would.")
        .needs("shifts.create")
        .at(net::Method::post, "/api/shifts/import");
}

std::vector<StructWords> import_words() {
    return {
        {{"ImportQuery"},
         {{"dryRun",
           "true changes nothing, and answers what the same request without it would; ids of what would be "
           "made are null"},
          {"facilityId",
           "Where that is whose row names no facility, an id from {facilities.list}. People that are there already "
           "stay "
           "where they are, and a row of a shift at another facility fails"}}},
        {{"ImportReport"},
         {{"created", "Rows that made something"},
          {"updated", "Rows whose person or shift was there, changed or as the row has it already"},
          {"failed", "Rows that were refused"},
          {"rows", "The outcome of each row, in the order of the file"}}},
        {{"ImportedRow"},
         {{"line", "Line of the file on which the row begins; the header's is 1"},
          {"status", "Whether it made something, is of something that was there, or was refused"},
          {"id", "The person or shift; null: it failed, or is a dry run that would make one"},
          {"errors", "Why it failed: up to ten; else empty"}}},
        {{"ImportError"},
         {{"code", "Error for programs, as a refusal of one resource has it"},
          {"field", "Column that is at fault, with the place in it; null: no single one"},
          {"rule", "Rule that the column breaks; null: none of a single one"},
          {"message", "Error for people"}}},
        {{"ImportStatus"}, {{"", "Outcome of a row"}}},
    };
}

}  // namespace workforce::operations
