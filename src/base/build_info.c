// What this build has, in words. See graze_build_info in graze/base.h.
#include <metis.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "graze/base.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(GZ_SCALAR_ONLY)
#define WIDTHS "scalar"
#else
#define WIDTHS "scalar, SSE2, AVX2, AVX-512"
#endif

#if defined(GZ_HAVE_ASSIMP)
#define ASSIMP "yes"
#else
#define ASSIMP "no"
#endif

#if defined(GZ_HAVE_OPENGL)
#define OPENGL "yes"
#else
#define OPENGL "no"
#endif

#if defined(GZ_HAVE_SQLITE)
#include <sqlite3.h>
#define SQLITE SQLITE_VERSION
#else
#define SQLITE "no"
#endif

#define WORD(number)   #number
#define STRING(number) WORD(number)
#define XXHASH                                                                                     \
    STRING(XXH_VERSION_MAJOR) "." STRING(XXH_VERSION_MINOR) "." STRING(XXH_VERSION_RELEASE)
#define METIS STRING(METIS_VER_MAJOR) "." STRING(METIS_VER_MINOR) "." STRING(METIS_VER_SUBMINOR)

const char *graze_build_info(void)
{
    return "compiler: " COMPILER "\n"
           "SIMD: " WIDTHS "\n"
           "zlib: " ZLIB_VERSION "\n"
           "zstd: " ZSTD_VERSION_STRING "\n"
           "xxHash: " XXHASH "\n"
           "METIS: " METIS "\n"
           "assimp: " ASSIMP "\n"
           "OpenGL: " OPENGL "\n"
           "SQLite: " SQLITE "\n";
}
