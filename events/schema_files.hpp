// The JSON Schemas of the log's records, as the files that are kept under schemas/events/.
#pragma once

#include <string>
#include <vector>

namespace workforce::events {

/// A file that follows from the code and is kept in the repository, so that a change of it is seen.
struct GeneratedFile {
    std::string path;  ///< relative to the project's root
    std::string text;
};

/// One schema for each event type at its newest version: `schemas/events/<type>.v<version>.schema.json`, the whole
/// record (CloudEvents 1.0 attributes, our extensions, data), in keywords of JSON Schema draft 7. The text is the same
/// for the same code. Older versions' files stay as they were written.
std::vector<GeneratedFile> event_schema_files();

}  // namespace workforce::events
