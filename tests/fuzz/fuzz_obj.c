// The OBJ reader, packed input included.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(GRAZE_FORMAT_OBJ, "x.obj", data, size);
    return 0;
}
