// A disk that breaks at a chosen moment, for all that goes through SQLite: it is full, or it cannot
// be read, or the process is killed in the middle of a write.
#ifndef TEST_BROKEN_DISK_H
#define TEST_BROKEN_DISK_H

#include <stdint.h>

typedef enum disk_fault { DISK_FULL, DISK_UNREADABLE, DISK_KILLS } disk_fault;

void broken_disk_install(void); // once, before anything else
// So many operations go well: changes of files, or reads. From then on none does.
void broken_disk_break(disk_fault fault, int64_t after);
// All is well again. Returns how many operations there were of the kind that was set last.
int64_t broken_disk_mend(void);

#endif
