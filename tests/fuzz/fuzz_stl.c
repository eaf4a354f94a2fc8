// The STL reader, packed input included.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(GRAZE_FORMAT_STL, "x.stl", data, size);
    return 0;
}
