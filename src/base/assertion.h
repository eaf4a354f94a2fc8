// Assertions: we went wrong.
#ifndef GZ_ASSERTION_H
#define GZ_ASSERTION_H

// Cheap, and on in every build: a wrong answer costs more than the check.
#define GZ_ASSERT(condition)                                                                       \
    do {                                                                                           \
        if (!(condition))                                                                          \
            gz_assertion_failed(#condition, __FILE__, __LINE__);                                   \
    } while (0)
_Noreturn void gz_assertion_failed(const char *condition, const char *file, int line);

// For walks of whole structures: on in debug builds (CMAKE_BUILD_TYPE=Debug), compiled and not run
// in others. What is called there takes no memory of the context's, so that nothing else changes.
#ifdef GZ_VALIDATING
#define GZ_VALIDATE(condition) GZ_ASSERT(condition)
#else
#define GZ_VALIDATE(condition)                                                                     \
    do {                                                                                           \
        if (0)                                                                                     \
            GZ_ASSERT(condition);                                                                  \
    } while (0)
#endif

#endif
