// Text in an HTML page, whatever bytes it has.
#ifndef GRAZE_CMD_HTML_TEXT_H
#define GRAZE_CMD_HTML_TEXT_H

#include <stdio.h>

// For contents and attributes. Control characters, and bytes that are not UTF-8, become U+FFFD.
void html_text(FILE *file, const char *text);
// A string of JavaScript with its quotes, safe inside <script>.
void script_text(FILE *file, const char *text);

#endif
