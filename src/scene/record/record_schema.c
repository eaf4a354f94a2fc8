// The tables of a record. See record_schema.h, and docs/format.md for what they mean.
//
// Times are in one table of their own, `moments`, and nowhere else: without it, two records of the
// same runs and reviews have the same rows. Whatever a row is numbered by is given in an order that
// does not depend on threads, nor on how often a run was interrupted.
#include "scene/record/record_schema.h"

#define STATUS_WORDS "('new','active','reviewed','approved','resolved','not re-checked')"

const char *const gz_record_steps[GZ_RECORD_VERSION] = {
    // Version 1
    "CREATE TABLE runs("
    " run INTEGER PRIMARY KEY,"
    " complete INTEGER NOT NULL CHECK(complete IN (0, 1)),"
    " digest BLOB NOT NULL," // of the scene, the rules and the lengths
    " files TEXT NOT NULL,"
    " version TEXT NOT NULL,"
    " touch REAL NOT NULL,"
    " clearance REAL NOT NULL,"
    " depth_error REAL NOT NULL,"
    " list_touching INTEGER NOT NULL,"
    " metres_per_unit REAL NOT NULL,"
    " objects INTEGER NOT NULL,"
    " pairs INTEGER NOT NULL,"
    " checked INTEGER NOT NULL) STRICT;"

    "CREATE TABLE rules("
    " rule INTEGER PRIMARY KEY,"
    " a TEXT NOT NULL,"
    " b TEXT NOT NULL,"
    " UNIQUE(a, b)) STRICT;"

    "CREATE TABLE run_rules("
    " run INTEGER NOT NULL REFERENCES runs,"
    " place INTEGER NOT NULL," // in the order of the rule file
    " rule INTEGER NOT NULL REFERENCES rules,"
    " touch REAL NOT NULL,"
    " clearance REAL NOT NULL,"
    " ignored INTEGER NOT NULL," // a bit for each kind; -1: such pairs are not asked about
    " PRIMARY KEY(run, place)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE objects("
    " object INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " source TEXT NOT NULL CHECK(source IN ('file', 'made')),"
    " first_run INTEGER NOT NULL REFERENCES runs) STRICT;"

    "CREATE TABLE states(" // one where an object is not as it was
    " object INTEGER NOT NULL REFERENCES objects,"
    " run INTEGER NOT NULL REFERENCES runs,"
    " present INTEGER NOT NULL CHECK(present IN (0, 1)),"
    " path TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " parent TEXT NOT NULL,"
    " file_id TEXT,"
    " hash INTEGER NOT NULL,"
    " triangles INTEGER NOT NULL CHECK(triangles >= 0),"
    " pose BLOB NOT NULL CHECK(length(pose) = 96),"
    " box BLOB NOT NULL CHECK(length(box) = 48),"
    " PRIMARY KEY(object, run)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE checked(" // what is known of pairs, and what proves it
    " a INTEGER NOT NULL REFERENCES objects,"
    " b INTEGER NOT NULL REFERENCES objects,"
    " rule INTEGER NOT NULL REFERENCES rules,"
    " proof BLOB NOT NULL CHECK(length(proof) = 16),"
    " run INTEGER NOT NULL REFERENCES runs,"
    " kind INTEGER NOT NULL CHECK(kind BETWEEN 0 AND 6),"
    " answer BLOB," // NULL where the kind says it all
    " PRIMARY KEY(a, b, rule), CHECK(a < b)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE clashes("
    " clash INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " rule INTEGER NOT NULL REFERENCES rules,"
    " a INTEGER NOT NULL REFERENCES objects,"
    " b INTEGER NOT NULL REFERENCES objects,"
    " x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,"    // the middle of its region
    " xa REAL NOT NULL, ya REAL NOT NULL, za REAL NOT NULL," // the same in the frame of a
    " xb REAL NOT NULL, yb REAL NOT NULL, zb REAL NOT NULL," // and in that of b
    " size REAL NOT NULL,"                                   // the diagonal of its region
    " status TEXT NOT NULL CHECK(status IN " STATUS_WORDS "),"
    " before TEXT NOT NULL CHECK(before IN " STATUS_WORDS "),"
    " reason TEXT NOT NULL,"
    " first_run INTEGER NOT NULL REFERENCES runs,"
    " last_run INTEGER NOT NULL REFERENCES runs,"    // that found it
    " checked_run INTEGER NOT NULL REFERENCES runs," // that looked at it
    " approved_run INTEGER REFERENCES runs,"         // what it was then is what was approved
    " assigned TEXT NOT NULL DEFAULT '') STRICT;"
    "CREATE INDEX clashes_of_pairs ON clashes(a, b, rule);"

    "CREATE TABLE occurrences(" // the same in all runs from `run` to `until`
    " clash INTEGER NOT NULL REFERENCES clashes,"
    " run INTEGER NOT NULL REFERENCES runs,"
    " until INTEGER NOT NULL REFERENCES runs,"
    " kind INTEGER NOT NULL CHECK(kind BETWEEN 1 AND 6),"
    " mildness INTEGER NOT NULL," // orders those of one kind: the smaller, the worse
    " answer BLOB NOT NULL,"
    " PRIMARY KEY(clash, run)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE events("
    " event INTEGER PRIMARY KEY,"
    " clash INTEGER NOT NULL REFERENCES clashes,"
    " what TEXT NOT NULL CHECK(what IN ('status', 'assigned', 'comment')),"
    " run INTEGER REFERENCES runs," // NULL: somebody did it
    " author TEXT NOT NULL,"
    " was TEXT NOT NULL,"
    " now TEXT NOT NULL,"
    " reason TEXT NOT NULL) STRICT;"
    "CREATE INDEX events_of_clashes ON events(clash, event);"

    "CREATE TABLE moments("
    " what TEXT NOT NULL CHECK(what IN ('run begun', 'run ended', 'event')),"
    " number INTEGER NOT NULL,"
    " time INTEGER NOT NULL,"
    " PRIMARY KEY(what, number)) STRICT, WITHOUT ROWID;",

    // Version 2: clashes that are one problem
    "CREATE TABLE problems("
    " problem INTEGER PRIMARY KEY,"
    " rule INTEGER NOT NULL REFERENCES rules,"
    " object INTEGER NOT NULL REFERENCES objects,"
    " others TEXT NOT NULL," // the group of the other objects
    " reason TEXT NOT NULL,"
    " UNIQUE(rule, object, others)) STRICT;"
    "ALTER TABLE clashes ADD COLUMN problem INTEGER REFERENCES problems;"
    "CREATE INDEX clashes_of_problems ON clashes(problem) WHERE problem IS NOT NULL;",
};
