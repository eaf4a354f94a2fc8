// The glTF reader: .gltf and .glb by their content, packed input included.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(GRAZE_FORMAT_GLTF, "x.gltf", data, size);
    return 0;
}
