// Runs a fuzz target over every file of a folder: the corpus as a plain test.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    long size = ftell(file);
    rewind(file);
    // A copy of exactly this size, so that the address sanitizer sees reads behind it.
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        return 1;
    }
    fclose(file);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    struct dirent **entries = NULL;
    int found = scandir(arguments[1], &entries, NULL, alphasort);
    if (found < 0) {
        perror(arguments[1]);
        return 1;
    }
    int status = 0, files = 0;
    for (int i = 0; i < found; ++i) {
        if (entries[i]->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[1], entries[i]->d_name);
            printf("%s\n", path); // the last line names the file that did not end well
            fflush(stdout);
            status |= replay_file(path);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    return files != 0 ? status : 1;
}
