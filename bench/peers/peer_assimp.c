// Reads one file with assimp, without any post-processing, and says what it took. See
// reading_cost.h.
#include <stdio.h>

#include <assimp/cimport.h>
#include <assimp/scene.h>

#include "reading_cost.h"

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: peer_assimp FILE\n");
        return 2;
    }
    reading r;
    reading_begin(&r);
    const struct aiScene *scene = aiImportFile(words[1], 0);
    reading_end(&r);
    if (scene == NULL) {
        fprintf(stderr, "peer_assimp: %s: %s\n", words[1], aiGetErrorString());
        return 1;
    }
    for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        uint64_t vectors = mesh->mVertices != NULL;
        vectors += mesh->mNormals != NULL;
        r.vertex_count += mesh->mNumVertices;
        r.mesh_bytes += vectors * mesh->mNumVertices * sizeof *mesh->mVertices;
        for (unsigned k = 0; k < mesh->mNumFaces; ++k) {
            r.triangle_count += mesh->mFaces[k].mNumIndices == 3;
            r.mesh_bytes += sizeof mesh->mFaces[k] + mesh->mFaces[k].mNumIndices * sizeof(unsigned);
        }
    }
    reading_print(&r);
    aiReleaseImport(scene);
    return 0;
}
