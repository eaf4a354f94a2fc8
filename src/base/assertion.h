// Assertions: we went wrong. Cheap, and on in every build: a wrong answer costs more than the
// check.
#ifndef GZ_ASSERTION_H
#define GZ_ASSERTION_H

#define GZ_ASSERT(condition)                                                                       \
    do {                                                                                           \
        if (!(condition))                                                                          \
            gz_assertion_failed(#condition, __FILE__, __LINE__);                                   \
    } while (0)
_Noreturn void gz_assertion_failed(const char *condition, const char *file, int line);

#endif
