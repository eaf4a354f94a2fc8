# The version, and with --verbose what the build has.
set -e
graze --version | grep -E '^graze [0-9]+\.[0-9]+\.[0-9]+$' | sed 's/[0-9][0-9.]*/VERSION/'
graze --version --verbose | grep -Eo '^(compiler|SIMD|zlib|zstd|xxHash|METIS|assimp|OpenGL|SQLite): ' | sort
graze --version --verbose | awk 'length > 79'
