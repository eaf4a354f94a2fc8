// What help and manual say of graze review and graze report: a part of the table of
// command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const review_description[] = {
    "Works on a record, which graze clash --output writes: one SQLite file with all runs, the "
    "objects, and the clashes with their statuses and what was said of them. Without options it "
    "tells which runs there were, and how many clashes have which status.",
    "With --set it says something of clashes: a STATUS, a comment, who is to look after them. All "
    "of it is written, or nothing.",
    NULL};

const manual_row review_examples[] = {
    {"graze review review.sqlite --list new", "what the last run found for the first time"},
    {"graze review review.sqlite --set 17 approved --comment 'agreed on site'",
     "clash 17 may stay, as deep as it is"},
    {"graze review review.sqlite --set 3,5,8-12 --assign anna", "somebody is to look after these"},
    {"graze review review.sqlite --show 17", "all that is known of clash 17"},
    {NULL, NULL}};

const manual_section review_sections[] = {
    {"STATUSES",
     PARAGRAPHS(
         "A run changes a status by what it proves, and by nothing else; each change is kept "
         "with its reason."),
     ROWS({"new", "found by the last run, and never before"},
          {"active", "found again; or back after it was resolved; or approved, and now worse by "
                     "more than touch"},
          {"reviewed", "somebody has seen it; stays so while it is found"},
          {"approved", "somebody says that it may stay; stays so until it gets worse by more than "
                       "touch"},
          {"resolved", "proved to be gone: the pair was checked and does not clash there, or the "
                       "boxes of the two are apart, or one of the two is not there any more; or "
                       "somebody said so, until a run finds it again"},
          {"not re-checked", "the last run did not look: its rules do not ask, or nothing of the "
                             "object's first group was there. Its status before comes back when a "
                             "run looks again"})},
    {"JSON AND CSV",
     PARAGRAPHS(
         "With --json each clash is one line with one object, with the names of graze report "
         "--json, and its events. Without --list and --show each run is one, and the last "
         "has the statuses. --csv has the rows of graze report --csv."),
     NULL},
    {NULL, NULL, NULL}};

const char *const report_description[] = {
    "Writes all clashes of a record, the worst first, with their statuses and what was said of "
    "them.",
    NULL};

const manual_row report_examples[] = {
    {"graze report review.sqlite --csv clashes.csv", "a table for a spreadsheet"},
    {"graze report review.sqlite --json - | jq '.[].clashes | length'", "for a program"},
    {NULL, NULL}};

const manual_section report_sections[] = {
    {"CSV",
     PARAGRAPHS(
         "A row of names, then one for each clash: number, status, kind, the paths a and b, "
         "depth_low and depth_high, gap, length, the middle of the clash x, y, z, the reason "
         "of the status, assigned, comments (how many), problem and what it is, the sets of "
         "the rule, the runs, and ids. UTF-8 with a mark, commas, and quotes where they are "
         "needed. A text that begins with =, +, - or @ has a ' before it: spreadsheets would "
         "take it for a formula."),
     NULL},
    {"JSON",
     PARAGRAPHS("A list of clash sets, one for each rule, as IfcClash writes them: name, mode, "
                "tolerance, a, b, and clashes by their ids. Lengths are in the unit of the scene."),
     ROWS({"a_global_id, b_global_id", "ids of the two objects that stay: of IFC, or made"},
          {"a_ifc_class, b_ifc_class", "of what comes from IFC, else null"},
          {"a_name, b_name", "their names"}, {"type", "the kind of clash, see graze help clash"},
          {"p1, p2", "where to look"}, {"distance", "the gap, or minus the depth at most, or 0"},
          {"number, id", "of the clash; they stay"},
          {"status, status_before, reason", "see graze help review; status_before is the status of "
                                            "one that was not re-checked, before that"},
          {"a, b", "id, path, group, and whether the last run had it"},
          {"inner, depth_low, depth_high, gap, length, region", "as graze clash --json has them"},
          {"rule_a, rule_b", "sets of the rule; \"*\" is all objects"},
          {"first_run, last_run, checked_run", "that found it, and that looked at it last"},
          {"assigned", "to whom, or null"},
          {"problem", "number, clashes and reason where several clashes are one, else null"},
          {"events", "what (status, assigned or comment), run or author, time, from, to, reason"})},
    {NULL, NULL, NULL}};
