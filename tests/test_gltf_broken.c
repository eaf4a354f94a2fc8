// Broken and hostile glTF: each is refused with one sentence that names the file and the byte.
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/context.h"
#include "gltf_text.h"
#include "reading.h"

#define ASSET "'asset':{'version':'2.0'}"
#define VIEW  "'bufferViews':[{'buffer':0,'byteLength':48}]"
#define MESH  "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"

// In the JSON, ^ stands before the value that the sentence should point to; it is taken out.
typedef struct broken {
    const char *json, *sentence;
    graze_status status; // 0: GRAZE_ERROR_FORMAT
} broken;

static gltf_bytes three_positions(void)
{
    gltf_bytes data = {0};
    gltf_put_floats(&data, 9, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_put_u8(&data, 12, (int[]){0, 1, 2, 0, 2, 1, 2, 2, 3, 0, 0, 9}); // from byte 36 on
    return data;
}

static void refuse(graze_context *context, const broken *b)
{
    char json[8000];
    size_t length = 0;
    for (const char *at = b->json; *at != '\0'; ++at)
        if (*at != '^')
            json[length++] = *at;
    json[length] = '\0';
    gltf_bytes data = three_positions();
    // The place in the file as built, where the list of buffers has grown.
    const char *mark = strchr(b->json, '^');
    char before[8000];
    snprintf(before, sizeof before, "%.*s", mark != NULL ? (int)(mark - b->json) : 0, b->json);
    gltf_bytes front = gltf_build(GLTF_TEXT, before, &data);
    char expected[4000];
    snprintf(expected, sizeof expected, "t.gltf: byte %llu: %s", (unsigned long long)front.count,
             b->sentence);
    record r = {0};
    test_last_error[0] = '\0';
    test_error_count = 0;
    graze_status status = gltf_read(context, GLTF_TEXT, json, &data, &r);
    assert_string_equal(test_last_error, expected);
    assert_int_equal(status, b->status != GRAZE_OK ? b->status : GRAZE_ERROR_FORMAT);
    assert_int_equal(test_error_count, 1);
    record_free(&r);
    gltf_free(&front);
    gltf_free(&data);
}

#define REFUSE_ALL(cases)                                                                          \
    do {                                                                                           \
        graze_context *context = counting_context();                                               \
        for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); ++i)                               \
            refuse(context, &(cases)[i]);                                                          \
        test_context_done(context);                                                                \
    } while (0)

static void wrong_versions_and_extensions(void **state)
{
    (void)state;
    static const broken cases[] = {
        {"^[]", "glTF is a JSON object, but this is none", 0},
        {"^{}", "the version of glTF is missing: this is no glTF 2.0", 0},
        {"{'asset':^{}}", "the version of glTF is missing: this is no glTF 2.0", 0},
        {"{'asset':^{'version':2.0}}", "the version of glTF is missing: this is no glTF 2.0", 0},
        {"{'asset':{'version':^'1.0'}}", "glTF 1.0, but only glTF 2.0 is supported",
         GRAZE_ERROR_UNSUPPORTED},
        {"{'asset':{'version':'2.0','minVersion':^'2.1'}}",
         "glTF 2.1, but only glTF 2.0 is supported", GRAZE_ERROR_UNSUPPORTED},
        {"{" ASSET ",'extensionsRequired':['KHR_materials_unlit',^'KHR_draco_mesh_compression']}",
         "the file requires the extension KHR_draco_mesh_compression, which is not supported",
         GRAZE_ERROR_UNSUPPORTED},
        {"{" ASSET ",'extensionsRequired':[^7]}", "the name of an extension is expected here", 0},
        {"{" ASSET ",$," VIEW ",'accessors':[{'componentType':5126,'type':'VEC3','count':3}],"
         "'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
         "'extensions':{'KHR_draco_mesh_compression':^{}}}]}]}",
         "the mesh is packed by the extension KHR_draco_mesh_compression, which is not supported",
         GRAZE_ERROR_UNSUPPORTED},
    };
    REFUSE_ALL(cases);
}

static void broken_lists_and_numbers(void **state)
{
    (void)state;
    static const broken cases[] = {
        {"{" ASSET ",'nodes':^{}}", "\"nodes\" is not a list", 0},
        {"{" ASSET ",'meshes':[{},^3]}", "item 1 of \"meshes\" is not an object", 0},
        {"{" ASSET ",'buffers':[^null]}", "buffer 0 is not an object", 0},
        {"{" ASSET ",'meshes':[^{}]}", "mesh 0 has no list of primitives", 0},
        {"{" ASSET ",'meshes':[{'primitives':[^{}]}]}", "a primitive without attributes", 0},
        {"{" ASSET ",'meshes':[{'primitives':[{'mode':^7,'attributes':{}}]}]}",
         "\"mode\" is not a whole number from 0 to 6", 0},
        {"{" ASSET ",'meshes':[{'primitives':[{'attributes':{'POSITION':^0}}]}]}",
         "there is no accessor 0, their number is 0", 0},
        {"{" ASSET ",'meshes':[{'primitives':[{'attributes':{'POSITION':^-1}}]}]}",
         "the number of the accessor is expected here", 0},
        {"{" ASSET ",'accessors':[^{}]," MESH "}", "\"componentType\" is missing here", 0},
        {"{" ASSET ",'accessors':[^{'componentType':5126}]," MESH "}", "\"count\" is missing here",
         0},
        {"{" ASSET ",'accessors':[{'componentType':5126,'count':^-3}]," MESH "}",
         "\"count\" is not a whole number from 0 to 9223372036854775807", 0},
        {"{" ASSET ",'accessors':[{'componentType':5126,'count':^2.5}]," MESH "}",
         "\"count\" is not a whole number from 0 to 9223372036854775807", 0},
        {"{" ASSET ",'accessors':[^{'componentType':5124,'count':1,'type':'VEC3'}]," MESH "}",
         "accessor 0 has an unknown componentType, 5124", 0},
        {"{" ASSET ",'accessors':[^{'componentType':5126,'count':1,'type':'MAT4'}]," MESH "}",
         "accessor 0 is neither scalar nor vector", 0},
        {"{" ASSET ",'accessors':[^{'componentType':5126,'count':1,'type':'VEC2'}]," MESH "}",
         "accessor 0 holds positions, but is not of type VEC3", 0},
        {"{" ASSET ",'accessors':[^{'componentType':5122,'count':1,'type':'VEC3'}]," MESH "}",
         "accessor 0 holds positions, but has the componentType 5122 without the extension "
         "KHR_mesh_quantization",
         0},
        {"{" ASSET ",'extensionsUsed':['KHR_mesh_quantization'],"
         "'accessors':[^{'componentType':5125,'count':1,'type':'VEC3'}]," MESH "}",
         "accessor 0 holds positions, but has the componentType 5125", 0},
        {"{" ASSET ",'accessors':[{'componentType':5126,'count':1,'type':'VEC3'},"
         "^{'componentType':5126,'count':1,'type':'SCALAR'}],"
         "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
         "accessor 1 holds indices, but is not a SCALAR of componentType 5121, 5123 or 5125", 0},
    };
    REFUSE_ALL(cases);
}

#define POSITIONS(members)                                                                         \
    "'accessors':[{" members ",'componentType':5126,'type':'VEC3','count':3}]"

static void broken_ranges(void **state)
{
    (void)state;
    static const broken cases[] = {
        {"{" ASSET ",$," VIEW "," POSITIONS("'bufferView':^1") "," MESH "}",
         "there is no buffer view 1, their number is 1", 0},
        {"{" ASSET ",'bufferViews':[{'buffer':^0}]," POSITIONS("'bufferView':0") "," MESH "}",
         "there is no buffer 0, their number is 0", 0},
        {"{" ASSET ",$,'bufferViews':[^{'byteLength':48}]," POSITIONS("'bufferView':0") "," MESH
                                                                                        "}",
         "buffer view 0 names no buffer", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0}]," POSITIONS("'bufferView':0") "," MESH "}",
         "\"byteLength\" is missing here", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0,'byteLength':49}]," POSITIONS(
             "'bufferView':0") "," MESH "}",
         "buffer view 0 takes 49 bytes from byte 0 on, but buffer 0 has only 48", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0,'byteOffset':1,'byteLength':48}]," POSITIONS(
             "'bufferView':0") "," MESH "}",
         "buffer view 0 takes 48 bytes from byte 1 on, but buffer 0 has only 48", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0,'byteOffset':9223372036854775807,"
         "'byteLength':9223372036854775807}]," POSITIONS("'bufferView':0") "," MESH "}",
         "buffer view 0 takes 9223372036854775807 bytes from byte 9223372036854775807 on, but "
         "buffer 0 has only 48",
         0},
        {"{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':48,'byteStride':^256}]," POSITIONS(
             "'bufferView':0") "," MESH "}",
         "\"byteStride\" is not a whole number from 0 to 252", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0,'byteLength':48,'byteStride':8}]," POSITIONS(
             "'bufferView':0") "," MESH "}",
         "buffer view 0 has a byteStride of 8, but its elements take 12 bytes", 0},
        {"{" ASSET ",$,'bufferViews':[^{'buffer':0,'byteLength':48,'byteStride':0}]," POSITIONS(
             "'bufferView':0") "," MESH "}",
         "buffer view 0 has a byteStride of 0, but its elements take 12 bytes", 0},
        {"{" ASSET ",$," VIEW ",'accessors':[^{'bufferView':0,'byteOffset':13,"
         "'componentType':5126,'type':'VEC3','count':3}]," MESH "}",
         "3 elements, 12 bytes apart from byte 13 on, do not fit into the 48 bytes of buffer view "
         "0",
         0},
        {"{" ASSET ",$," VIEW ",'accessors':[^{'bufferView':0,'componentType':5126,'type':'VEC3',"
         "'count':4611686018427387904}]," MESH "}",
         "4611686018427387904 elements, 12 bytes apart from byte 0 on, do not fit into the 48 "
         "bytes "
         "of buffer view 0",
         0},
        // 8 more than 2^32 bytes: in 32 bits they would fit.
        {"{" ASSET ",$," VIEW ",'accessors':[^{'bufferView':0,'componentType':5126,'type':'VEC3',"
         "'count':357913943}]," MESH "}",
         "357913943 elements, 12 bytes apart from byte 0 on, do not fit into the 48 bytes of "
         "buffer "
         "view 0",
         0},
        {"{" ASSET ",$," VIEW ",'accessors':[^{'bufferView':0,'byteOffset':9223372036854775807,"
         "'componentType':5126,'type':'VEC3','count':768614312404564650}]," MESH "}",
         "768614312404564650 elements, 12 bytes apart from byte 9223372036854775807 on, do not fit "
         "into the 48 bytes of buffer view 0",
         0},
        {"^{" ASSET ",'accessors':[{'componentType':5126,'type':'VEC3',"
         "'count':9223372036854775807}]," MESH "}",
         "the accessors ask for more than 200 times the bytes that are there, which is the limit "
         "set for reading",
         0},
    };
    REFUSE_ALL(cases);
}

#define SPARSE(members)                                                                            \
    "{" ASSET ",$," VIEW                                                                           \
    ",'accessors':[{'componentType':5126,'type':'VEC3','count':3,'sparse':" members "}]," MESH "}"

static void broken_sparse(void **state)
{
    (void)state;
    static const broken cases[] = {
        {SPARSE("^{'count':1}"), "a sparse accessor without indices and values", 0},
        {SPARSE("{'count':^4,'indices':{},'values':{}}"),
         "\"count\" is not a whole number from 0 to 3", 0},
        {SPARSE("{'count':1,'indices':^{'componentType':5126},'values':{}}"),
         "indices cannot have the componentType 5126", 0},
        {SPARSE("{'count':1,'indices':^{'componentType':5121},'values':{}}"),
         "a bufferView is missing here", 0},
        {SPARSE("{'count':2,'indices':^{'bufferView':0,'byteOffset':47,'componentType':5121},"
                "'values':{'bufferView':0}}"),
         "2 elements, 1 bytes apart from byte 47 on, do not fit into the 48 bytes of buffer view 0",
         0},
        {SPARSE("{'count':3,'indices':{'bufferView':0,'componentType':5121},"
                "'values':^{'bufferView':0,'byteOffset':20}}"),
         "3 elements, 12 bytes apart from byte 20 on, do not fit into the 48 bytes of buffer view "
         "0",
         0},
    };
    REFUSE_ALL(cases);
}

static void broken_trees(void **state)
{
    (void)state;
    static const broken cases[] = {
        {"{" ASSET ",'nodes':[{'mesh':^0}]}", "there is no mesh 0, their number is 0", 0},
        {"{" ASSET ",'nodes':[{'children':^7}]}", "the children of node 0 are not a list", 0},
        {"{" ASSET ",'nodes':[{'children':[^1]}]}", "there is no node 1, their number is 1", 0},
        {"{" ASSET ",'nodes':[{'children':[^-1]}]}", "the number of the node is expected here", 0},
        {"{" ASSET ",'nodes':[^{'children':[0]}]}", "node 0 is its own ancestor", 0},
        {"{" ASSET ",'nodes':[^{'children':[1]},{'children':[2]},{'children':[0]}]}",
         "node 0 is its own ancestor", 0},
        {"{" ASSET ",'nodes':[{},{'children':[0,2]},{'children':[^0]}]}",
         "node 0 is a child of node 2, but already one of node 1", 0},
        {"{" ASSET ",'nodes':[{'children':[1,^1]},{}]}",
         "node 1 is a child of node 0, but already one of node 0", 0},
        {"{" ASSET ",'scene':^1,'scenes':[{}],'nodes':[{}]}",
         "there is no scene 1, their number is 1", 0},
        {"{" ASSET ",'scenes':[{'nodes':^{}}],'nodes':[{}]}", "the nodes of a scene are not a list",
         0},
        {"{" ASSET ",'scenes':[{'nodes':[0,^0]}],'nodes':[{}]}", "a scene lists node 0 twice", 0},
        {"{" ASSET ",'scenes':[{'nodes':[^1]}],'nodes':[{'children':[1]},{}]}",
         "a scene begins at node 1, which is a child of node 0", 0},
        {"{" ASSET ",'nodes':[{'matrix':^[1,2,3]}]}", "\"matrix\" is not a list of 16 numbers", 0},
        {"{" ASSET ",'nodes':[{'matrix':^[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]}]}",
         "a matrix whose last row is not 0 0 0 1", 0},
        {"{" ASSET ",'nodes':[{'matrix':[^1e999,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]}",
         "\"matrix\" has an item that is not a finite number", 0},
        {"{" ASSET ",'nodes':[{'translation':[0,^'0',0]}]}",
         "\"translation\" has an item that is not a finite number", 0},
        {"{" ASSET ",'nodes':[{'scale':[0,0,1],'matrix':^[]}]}",
         "node 0 has a matrix beside a translation, rotation or scale", 0},
        {"{" ASSET ",'nodes':[^{'rotation':[0,0,0,0]}]}", "node 0 has a rotation without length",
         0},
        {"{" ASSET ",'nodes':[{'scale':[1e300,1,1],'children':[1]},^{'scale':[1e300,1,1]}]}",
         "the place of node 1 is beyond all numbers", 0},
    };
    REFUSE_ALL(cases);
}

#define BUFFER(members)                                                                            \
    "{" ASSET ",'buffers':[" members "],'bufferViews':[{'buffer':0,'byteLength':36}],"             \
    "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':3}]," MESH "}"
#define AAAA "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" // 36 zeros

static void broken_buffers(void **state)
{
    (void)state;
    static const broken cases[] = {
        {BUFFER("^{}"), "\"byteLength\" is missing here", 0},
        {BUFFER("^{'byteLength':36}"), "buffer 0 has no uri", 0},
        {BUFFER("{'byteLength':36,'uri':^5}"), "the uri of buffer 0 is not a string", 0},
        {BUFFER("{'byteLength':36,'uri':^'data:,xyz'}"),
         "buffer 0 is a data URI without \";base64,\"", 0},
        {BUFFER("{'byteLength':36,'uri':^'data:'}"), "buffer 0 is a data URI without \";base64,\"",
         0},
        {BUFFER("^{'byteLength':37,'uri':'data:;base64," AAAA "'}"),
         "buffer 0 should have 37 bytes, but there are only 36", 0},
        {BUFFER("^{'byteLength':9223372036854775807,'uri':'data:;base64," AAAA "'}"),
         "buffer 0 should have 9223372036854775807 bytes, but there are only 36", 0},
        {BUFFER("{'byteLength':36,'uri':'data:;base64," AAAA "AA^*A'}"),
         "buffer 0 has a character that is not base64", 0},
        {BUFFER("{'byteLength':36,'uri':'data:;base64," AAAA "A^=AA'}"),
         "buffer 0 has a character that is not base64", 0},
        {BUFFER("{'byteLength':36,'uri':^'data:;base64," AAAA "A'}"),
         "buffer 0 has one base64 character too many", 0},
        {BUFFER("{'byteLength':36,'uri':^'x.bin'}"),
         "buffer 0 lies in \"x.bin\", but a glTF that is read from memory opens no other files", 0},
        {BUFFER("{'byteLength':36,'uri':^'a%00b'}"), "buffer 0 has a zero byte in its file's name",
         0},
        {BUFFER("^{'byteLength':36,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}"),
         "buffer 0 is packed by the extension EXT_meshopt_compression, which is not supported",
         GRAZE_ERROR_UNSUPPORTED},
    };
    REFUSE_ALL(cases);
}

// ---- What is wrong with the binary data: the byte is the one in the file.

static void refuse_binary(graze_context *context, const char *json, uint64_t byte,
                          const char *sentence)
{
    gltf_bytes data = three_positions();
    record r = {0};
    gltf_bytes file = gltf_build(GLTF_GLB, json, &data);
    char expected[1000];
    snprintf(expected, sizeof expected, "t.glb: byte %llu: %s",
             (unsigned long long)(file.count - data.count + byte), sentence);
    assert_int_equal(gltf_read(context, GLTF_GLB, json, &data, &r), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error, expected);
    record_free(&r);
    gltf_free(&file);
    gltf_free(&data);
}

static void indices_out_of_range(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    refuse_binary(
        context,
        "{" ASSET ",$," VIEW ",'accessors':["
        "{'bufferView':0,'componentType':5126,'type':'VEC3','count':3},"
        "{'bufferView':0,'byteOffset':42,'componentType':5121,'type':'SCALAR','count':3}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
        44, "index 2 of accessor 1 is 3, but there are only 3 vertices");
    refuse_binary(context,
                  "{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':48},"
                  "{'buffer':0,'byteOffset':36,'byteLength':12,'byteStride':4}],'accessors':["
                  "{'bufferView':0,'componentType':5126,'type':'VEC3','count':3},"
                  "{'bufferView':1,'componentType':5123,'type':'SCALAR','count':3}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
                  36, "index 0 of accessor 1 is 256, but there are only 3 vertices");
    refuse_binary(context,
                  "{" ASSET ",$," VIEW ",'accessors':["
                  "{'componentType':5126,'type':'VEC3','count':9,'sparse':{'count':2,"
                  "'indices':{'bufferView':0,'byteOffset':46,'componentType':5121},"
                  "'values':{'bufferView':0}}}]," MESH "}",
                  47, "sparse accessor 0 replaces element 9 of 9");
    refuse_binary(context,
                  "{" ASSET ",$," VIEW ",'accessors':["
                  "{'componentType':5126,'type':'VEC3','count':9,'sparse':{'count':3,"
                  "'indices':{'bufferView':0,'byteOffset':41,'componentType':5121},"
                  "'values':{'bufferView':0}}}]," MESH "}",
                  43, "sparse accessor 0 replaces element 2 (of 9) behind a later one");
    test_context_done(context);
}

// ---- The container

static void refuse_glb(graze_context *context, const gltf_bytes *glb, uint64_t count,
                       const char *sentence)
{
    // An exact copy, so that the sanitizer sees reads beyond the end.
    uint8_t *bytes = malloc((size_t)count + 1);
    memcpy(bytes, glb->bytes, (size_t)count);
    record r = {0};
    test_last_error[0] = '\0';
    graze_status status = record_read(context, "t.glb", bytes, count, GRAZE_FORMAT_GLB, &r);
    free(bytes);
    record_free(&r);
    assert_int_equal(status, strstr(sentence, "supported") != NULL ? GRAZE_ERROR_UNSUPPORTED
                                                                   : GRAZE_ERROR_FORMAT);
    if (sentence[0] != '\0')
        assert_string_equal(test_last_error, sentence);
    assert_memory_equal(test_last_error, "t.glb: byte ", 12);
}

static const char good_json[] = "{" ASSET ",$," VIEW "," POSITIONS("'bufferView':0") "," MESH "}";

static gltf_bytes good_glb(void)
{
    gltf_bytes data = three_positions();
    gltf_bytes glb = gltf_build(GLTF_GLB, good_json, &data);
    gltf_free(&data);
    return glb;
}

static void truncated_anywhere(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    gltf_bytes glb = good_glb();
    for (uint64_t count = 0; count < glb.count; ++count) {
        refuse_glb(context, &glb, count, "");
        // The same with a header that agrees, so that the chunks are looked at.
        if (count < 12)
            continue;
        gltf_bytes cut = {0};
        gltf_put(&cut, glb.bytes, count);
        memcpy(cut.bytes + 8, &count, 4);
        refuse_glb(context, &cut, count, "");
        gltf_free(&cut);
    }
    record r = {0};
    assert_int_equal(record_read(context, "t.glb", glb.bytes, glb.count, GRAZE_FORMAT_UNKNOWN, &r),
                     GRAZE_OK);
    record_free(&r);
    gltf_free(&glb);
    test_context_done(context);
}

static void broken_containers(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const struct {
        uint32_t at, value;
        const char *sentence;
    } cases[] = {
        {4, 1, "t.glb: byte 4: version 1 of GLB, but only version 2 is supported"},
        {8, 11, "t.glb: byte 8: a GLB of 11 bytes, but its header takes 12"},
        {8, 12, "t.glb: byte 12: the first chunk of a GLB is not JSON"},
        {8, 15, "t.glb: byte 12: a chunk begins here, but the GLB ends at byte 15"},
        {8, 0xffffffff, "t.glb: byte 8: a GLB of 4294967295 bytes, but the file has only 312"},
        {12, 0xffffffff,
         "t.glb: byte 12: a chunk of 4294967295 bytes, but the GLB ends at byte 312"},
        {12, 4, "t.glb: byte 24: a chunk of 578053491 bytes, but the GLB ends at byte 312"},
        {16, 0x004e4942, "t.glb: byte 20: the first chunk of a GLB is not JSON"},
        {256, 49, "t.glb: byte 256: a chunk of 49 bytes, but the GLB ends at byte 312"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        gltf_bytes glb = good_glb();
        assert_int_equal(glb.count, 312);
        memcpy(glb.bytes + cases[i].at, &cases[i].value, 4);
        refuse_glb(context, &glb, glb.count, cases[i].sentence);
        gltf_free(&glb);
    }
    // No binary chunk; one of another type.
    gltf_bytes glb = good_glb();
    memcpy(glb.bytes + 260, "XYZ", 4);
    refuse_glb(context, &glb, glb.count,
               "t.glb: byte 58: buffer 0 should be the binary chunk, but there is none");
    gltf_free(&glb);
    test_context_done(context);
}

static void what_follows_is_warned_of(void **state)
{
    (void)state;
    graze_context *context = counting_context();
    gltf_bytes glb = good_glb();
    gltf_put(&glb, "more", 4);
    record r = {0};
    assert_int_equal(record_read(context, "t.glb", glb.bytes, glb.count, GRAZE_FORMAT_UNKNOWN, &r),
                     GRAZE_OK);
    assert_int_equal(test_warning_count, 1);
    assert_string_equal(test_last_warning,
                        "t.glb: byte 312: the GLB ends here, what follows is not read");
    record_free(&r);
    gltf_free(&glb);
    test_context_done(context);
}

// ---- Much of everything

static char *deep_nodes(uint32_t depth)
{
    char *json = malloc((size_t)depth * 40 + 1000), *at = json;
    at += sprintf(at, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (uint32_t i = 0; i + 1 < depth; ++i)
        at += sprintf(at, "{\"name\":\"n\",\"children\":[%u]},", i + 1);
    sprintf(at, "{}]}");
    return json;
}

static void deep_trees(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    for (uint32_t depth = 1000; depth <= 100000; depth *= 10) {
        char *json = deep_nodes(depth);
        record r = {0};
        graze_status status = record_read_text(context, "t.gltf", json, &r);
        assert_int_equal(status, depth <= 1024 ? GRAZE_OK : GRAZE_ERROR_UNSUPPORTED);
        if (depth > 1024)
            assert_string_equal(test_last_error,
                                "t.gltf: byte 30673: node 1024 lies more than 1024 levels deep");
        record_free(&r);
        // The last one's child is the first: a cycle of all.
        char *end = strstr(json, "{}]}");
        strcpy(end, "{\"children\":[0]}]}");
        assert_int_equal(record_read_text(context, "t.gltf", json, &r), GRAZE_ERROR_FORMAT);
        assert_string_equal(test_last_error, "t.gltf: byte 36: node 0 is its own ancestor");
        record_free(&r);
        free(json);
    }
    test_context_done(context);
}

static void long_names(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    char *json = malloc(400000);
    static const struct {
        uint32_t name_bytes, levels;
        const char *sentence;
    } cases[] = {
        {4096, 3, NULL},
        {4097, 1, "t.gltf: byte 44: a name of 4097 bytes; the limit is 4096"},
        {100000, 1, "t.gltf: byte 44: a name of 100000 bytes; the limit is 4096"},
        {4000, 6,
         "t.gltf: byte 16144: the names of node 4 and its parents take more than 16384 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *at = json + sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
        for (uint32_t k = 0; k < cases[i].levels; ++k) {
            at += sprintf(at, "{\"name\":\"");
            memset(at, 'n', cases[i].name_bytes);
            at += cases[i].name_bytes;
            at += sprintf(at, "\",\"children\":[%u]},", k + 1);
        }
        strcpy(at, "{}]}");
        record r = {0};
        graze_status status = record_read_text(context, "t.gltf", json, &r);
        record_free(&r);
        assert_int_equal(status, cases[i].sentence == NULL ? GRAZE_OK : GRAZE_ERROR_UNSUPPORTED);
        if (cases[i].sentence != NULL)
            assert_string_equal(test_last_error, cases[i].sentence);
    }
    free(json);
    test_context_done(context);
}

// One view, named by ten thousand accessors: refused by the sum, not by patience.
static void repeated_accessors(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    const uint32_t count = 10000;
    char *json = malloc(count * 200 + 1000), *at = json;
    at +=
        sprintf(at, "{" ASSET ",$,'bufferViews':[{'buffer':0,'byteLength':120000}],'accessors':[");
    for (uint32_t i = 0; i < count; ++i)
        at += sprintf(at, "%s{'bufferView':0,'componentType':5126,'type':'VEC3','count':10000}",
                      i == 0 ? "" : ",");
    at += sprintf(at, "],'meshes':[{'primitives':[");
    for (uint32_t i = 0; i < count; ++i)
        at += sprintf(at, "%s{'attributes':{'POSITION':%u}}", i == 0 ? "" : ",", i);
    sprintf(at, "]}]}");
    gltf_bytes data = {0};
    static uint8_t zeros[120000];
    gltf_put(&data, zeros, sizeof zeros);
    record r = {0};
    assert_int_equal(gltf_read(context, GLTF_GLB, json, &data, &r), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "the accessors ask for more than 200 times"));
    assert_int_equal(r.vertex_count, 0);
    record_free(&r);
    gltf_free(&data);
    free(json);
    test_context_done(context);
}

// ---- The corpus of the fuzz target: its files say by their names what becomes of them

#define CORPUS TEST_CORPUS "/gltf/"

static void the_corpus_is_answered(void **state)
{
    (void)state;
    struct dirent **files = NULL;
    int count = scandir(CORPUS, &files, NULL, alphasort), broken_count = 0;
    assert_true(count > 2);
    for (int i = 0; i < count; ++i) {
        char path[1000];
        snprintf(path, sizeof path, CORPUS "%s", files[i]->d_name);
        bool good = strncmp(files[i]->d_name, "good-", 5) == 0;
        if (good || strncmp(files[i]->d_name, "broken-", 7) == 0) {
            graze_context *context = counting_context();
            record r = {0};
            graze_mesh_sink sink = record_sink(&r);
            graze_status status = graze_mesh_stream(context, path, NULL, &sink);
            if ((status == GRAZE_OK) != good || test_error_count != !good)
                fail_msg("%s: status %d, %s", path, (int)status, test_last_error);
            size_t length = strlen(path);
            if (!good && (strncmp(test_last_error, path, length) != 0 ||
                          strncmp(test_last_error + length, ": byte ", 7) != 0))
                fail_msg("%s: %s", path, test_last_error);
            broken_count += !good;
            record_free(&r);
            test_context_done(context);
        }
        free(files[i]);
    }
    free(files);
    assert_true(broken_count >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_versions_and_extensions),
        cmocka_unit_test(broken_lists_and_numbers),
        cmocka_unit_test(broken_ranges),
        cmocka_unit_test(broken_sparse),
        cmocka_unit_test(broken_trees),
        cmocka_unit_test(broken_buffers),
        cmocka_unit_test(indices_out_of_range),
        cmocka_unit_test(truncated_anywhere),
        cmocka_unit_test(broken_containers),
        cmocka_unit_test(what_follows_is_warned_of),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(long_names),
        cmocka_unit_test(repeated_accessors),
        cmocka_unit_test(the_corpus_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
