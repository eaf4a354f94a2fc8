// The tables of a record, version by version. docs/format.md tells what is in them.
#ifndef GZ_RECORD_SCHEMA_H
#define GZ_RECORD_SCHEMA_H

#define GZ_RECORD_APPLICATION 0x677a7263 // "gzrc", at byte 68 of the file
#define GZ_RECORD_VERSION     2

// What makes version n + 1 of version n; the first makes version 1 of an empty file. A new record
// goes through all of them, so that there is one way only to the newest.
extern const char *const gz_record_steps[GZ_RECORD_VERSION];

#endif
