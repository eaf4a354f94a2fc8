// Views: which boxes lie wholly before all others of other objects, asked of OpenGL.
//
// For each object in turn, each of its boxes is drawn at its back without writing, and the
// fragments that are not before what lies in the depth buffer are asked for; then all of them are
// drawn at their fronts, and the buffer keeps what is nearest. A box without such a fragment is
// wholly before all objects drawn so far: it meets none of them. The reverse pass does the same
// from the last object on.
//
// What the driver has to do right, and how little that is:
// - A box is a rectangle of whole pixels. Its edges lie half a pixel from the nearest pixel centre;
//   coordinates are off by less than a tenth of one after all rounding, most of it from a driver
//   with the least four bits below a pixel. So it covers the centres that it must, no more and no
//   fewer. Its two triangles share an edge with the same two ends, on which OpenGL promises one
//   fragment for each centre.
// - Its depth is one number. Fronts of level k are drawn at 2k half levels and backs at 2k + 1. A
//   half level is 2^-21, eight steps of a depth buffer of 24 bits. The driver may round by three
//   steps wherever it likes: a back is never before a front of its own level or a lower one, and
//   never behind one of a higher.
// - Fragments at a pixel are taken in the order in which they are drawn.
// When views are opened, boxes of all kinds are drawn, and what comes out is compared.
#ifdef GZ_HAVE_OPENGL
#include "cull/opengl_views.h"

#include <string.h>

#include "base/knobs.h"
#include "base/memory.h"
#include "cull/opengl_check.h"
#include "cull/opengl_context.h"

#define MOST_QUERIES 16384u // for each pass; beyond, neighbours share one
#define MOST_BOXES   (UINT32_C(1) << 24)

enum { FORWARD, REVERSE, PASSES };
enum { QUERY_PROGRAM, MARK_PROGRAM, COUNT_PROGRAM, PROGRAMS };
enum { BOXES, RESULTS, BUFFERS };

typedef struct program {
    GLuint name;
    GLint count, pass; // uniforms
} program;

struct gz_views {
    graze_context *context;
    gz_opengl gl;
    uint32_t resolution;
    uint32_t most_boxes;
    program programs[PROGRAMS];
    GLuint buffers[BUFFERS];
    GLsizeiptr buffer_bytes[BUFFERS];
    GLuint vertex_array, framebuffer, renderbuffer;
    GZ_LIST(GLuint) queries;
    GZ_LIST(GLuint) results;
    GZ_LIST(GLint) firsts; // of draws that are handed over together
    GZ_LIST(GLsizei) counts;
};

// ---- Shaders

// Six vertices a box; the second half of all vertices are the fronts. `box` says who is asked
// about: none for a front.
static const char vertex_text[] =
    "#version 430 core\n"
    "layout(std430, binding = 0) readonly buffer boxes_of_view { uvec4 boxes[]; };\n"
    "uniform uint count;\n"
    "uniform float pixel;\n"
    "flat out uint box;\n"
    "void main()\n"
    "{\n"
    "    uint square = uint(gl_VertexID) / 6u, corner = uint(gl_VertexID) % 6u;\n"
    "    bool front = square >= count;\n"
    "    box = front ? square - count : square;\n"
    "    uvec4 b = boxes[box];\n"
    "    bool right = corner == 1u || corner == 2u || corner == 4u;\n"
    "    bool high = corner == 2u || corner == 4u || corner == 5u;\n"
    "    uint x = right ? (b.x >> 16) + 1u : b.x & 0xffffu;\n"
    "    uint y = high ? (b.y >> 16) + 1u : b.y & 0xffffu;\n"
    "    uint half_levels = front ? 2u * b.z : 2u * b.w + 1u;\n"
    "    gl_Position = vec4(float(x) * pixel - 1.0, float(y) * pixel - 1.0,\n"
    "                       float(int(half_levels) - 0x100000) * (1.0 / 1048576.0), 1.0);\n"
    "    if (front)\n"
    "        box = 0xffffffffu;\n"
    "}\n";

static const char *const fragment_texts[PROGRAMS] = {
    [QUERY_PROGRAM] = "#version 430 core\n"
                      "void main() {}\n",
    // Any number of fragments may write the same 1. The passes have a stretch of results each.
    [MARK_PROGRAM] = "#version 430 core\n"
                     "layout(early_fragment_tests) in;\n"
                     "layout(std430, binding = 1) buffer results_of_view { uint results[]; };\n"
                     "uniform uint pass;\n"
                     "flat in uint box;\n"
                     "void main()\n"
                     "{\n"
                     "    if (box != 0xffffffffu)\n"
                     "        results[pass + box] = 1u;\n"
                     "}\n",
    [COUNT_PROGRAM] = "#version 430 core\n"
                      "layout(early_fragment_tests) in;\n"
                      "layout(std430, binding = 1) buffer results_of_view { uint results[]; };\n"
                      "uniform uint pass;\n"
                      "flat in uint box;\n"
                      "void main()\n"
                      "{\n"
                      "    if (box != 0xffffffffu)\n"
                      "        atomicAdd(results[pass + box], 1u);\n"
                      "}\n",
};

static GLuint compile(const gz_opengl *o, GLenum kind, const char *text)
{
    GLuint shader = o->gl.CreateShader(kind);
    o->gl.ShaderSource(shader, 1, &text, NULL);
    o->gl.CompileShader(shader); // what it has to complain about comes out when linking
    return shader;
}

static bool link_program(gz_views *v, int kind)
{
    const gz_opengl *o = &v->gl;
    program *p = &v->programs[kind];
    GLuint vertex = compile(o, GL_VERTEX_SHADER, vertex_text);
    GLuint fragment = compile(o, GL_FRAGMENT_SHADER, fragment_texts[kind]);
    GLint linked = 0;
    p->name = o->gl.CreateProgram();
    o->gl.AttachShader(p->name, vertex);
    o->gl.AttachShader(p->name, fragment);
    o->gl.LinkProgram(p->name);
    o->gl.DeleteShader(vertex); // the program keeps them
    o->gl.DeleteShader(fragment);
    o->gl.GetProgramiv(p->name, GL_LINK_STATUS, &linked);
    if (!linked)
        return false;
    o->gl.UseProgram(p->name);
    p->count = o->gl.GetUniformLocation(p->name, "count");
    p->pass = o->gl.GetUniformLocation(p->name, "pass");
    o->gl.Uniform1f(o->gl.GetUniformLocation(p->name, "pixel"), 2 / (float)v->resolution);
    return true;
}

// ---- Buffers

static void bind_buffer(const gz_views *v, int which)
{
    v->gl.gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)which, v->buffers[which]);
}

// Buffers only grow: a warm frame asks the driver for no memory.
static void make_room(gz_views *v, int which, uint64_t bytes)
{
    bind_buffer(v, which);
    if (v->buffer_bytes[which] >= (GLsizeiptr)bytes)
        return;
    v->buffer_bytes[which] = (GLsizeiptr)(bytes + bytes / 2);
    v->gl.gl.BufferData(GL_SHADER_STORAGE_BUFFER, v->buffer_bytes[which], NULL, GL_DYNAMIC_DRAW);
}

static bool make_target(gz_views *v)
{
    gz_opengl *o = &v->gl;
    GLint bits = 0;
    o->gl.GenVertexArrays(1, &v->vertex_array); // empty: vertices are made from their numbers
    o->gl.BindVertexArray(v->vertex_array);
    o->gl.GenBuffers(BUFFERS, v->buffers);
    o->gl.GenRenderbuffers(1, &v->renderbuffer);
    o->gl.BindRenderbuffer(GL_RENDERBUFFER, v->renderbuffer);
    o->gl.RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, (GLsizei)v->resolution,
                              (GLsizei)v->resolution);
    o->gl.GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_DEPTH_SIZE, &bits);
    o->gl.GenFramebuffers(1, &v->framebuffer);
    o->gl.BindFramebuffer(GL_FRAMEBUFFER, v->framebuffer);
    o->gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                  v->renderbuffer);
    o->gl.DrawBuffer(GL_NONE);
    if (!gz_opengl_sound(o))
        return false;
    return bits >= 24 && o->gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// ---- Drawing

// Boxes from..to at their backs (fronts: at their fronts).
static void draw(const gz_views *v, bool fronts, uint32_t count, uint32_t from, uint32_t to)
{
    if (from < to)
        v->gl.gl.DrawArrays(GL_TRIANGLES, (GLint)(6 * (from + (fronts ? count : 0))),
                            (GLsizei)(6 * (to - from)));
}

// What is tested, and what others are tested against.
static uint32_t tested_from(const gz_viewed_object *o, int pass)
{
    return pass == FORWARD ? o->first : o->both;
}
static uint32_t tested_to(const gz_viewed_object *o, int pass)
{
    return pass == FORWARD ? o->late : o->end;
}

static void begin_pass(gz_views *v, const program *p, int pass, uint32_t count)
{
    const gz_opengl *o = &v->gl;
    o->gl.DepthMask(GL_TRUE);
    o->gl.Clear(GL_DEPTH_BUFFER_BIT);
    o->gl.Uniform1ui(p->count, count);
    if (p->pass >= 0)
        o->gl.Uniform1ui(p->pass, pass == FORWARD ? 0 : count);
}

// Fragments that are not before the depth buffer pass, and write nothing; or those that are nearer
// than it pass, and are kept.
static void ask_for_hidden(const gz_opengl *o)
{
    o->gl.DepthMask(GL_FALSE);
    o->gl.DepthFunc(GL_GEQUAL);
}
static void keep_the_nearest(const gz_opengl *o)
{
    o->gl.DepthMask(GL_TRUE);
    o->gl.DepthFunc(GL_LEQUAL);
}

// One look, as it is handed from step to step.
typedef struct look {
    const gz_view_box *boxes;
    const gz_viewed_object *objects;
    uint32_t box_count, object_count;
    bool whole;
    uint32_t share; // boxes to a query
    uint8_t *freed;
} look;

static const gz_viewed_object *object_of_step(const look *l, int pass, uint32_t step)
{
    return &l->objects[pass == FORWARD ? step : l->object_count - 1 - step];
}

static uint8_t freedom_of(int pass)
{
    return pass == FORWARD ? GZ_VIEW_FREE_OF_EARLIER : GZ_VIEW_FREE_OF_LATER;
}

// ---- Two passes with a query for each box, or as many neighbours as are needed to have enough

static uint32_t query_end(const look *l, uint32_t from, uint32_t to)
{
    return l->whole || to - from <= l->share ? to : from + l->share;
}

static uint64_t count_queries(const look *l, int pass)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < l->object_count; ++i) {
        uint32_t from = tested_from(&l->objects[i], pass), to = tested_to(&l->objects[i], pass);
        if (from < to)
            count += l->whole ? 1 : (to - from - 1) / l->share + 1;
    }
    return count;
}

static bool have_queries(gz_views *v, uint64_t wanted)
{
    uint64_t old = v->queries.count;
    if (wanted <= old)
        return true;
    GLuint *more = gz_list_push(v->context, &v->queries, wanted - old);
    if (more == NULL)
        return false;
    v->gl.gl.GenQueries((GLsizei)(wanted - old), more);
    return true;
}

static void draw_with_queries(gz_views *v, const look *l)
{
    const gz_opengl *o = &v->gl;
    uint64_t query = 0;
    for (int pass = FORWARD; pass < PASSES; ++pass) {
        begin_pass(v, &v->programs[QUERY_PROGRAM], pass, l->box_count);
        for (uint32_t step = 0; step < l->object_count; ++step) {
            const gz_viewed_object *object = object_of_step(l, pass, step);
            uint32_t to = tested_to(object, pass);
            ask_for_hidden(o);
            for (uint32_t from = tested_from(object, pass), end; from < to; from = end) {
                end = query_end(l, from, to);
                // May say yes too often, and be faster for it.
                o->gl.BeginQuery(GL_ANY_SAMPLES_PASSED_CONSERVATIVE, v->queries.items[query++]);
                draw(v, false, l->box_count, from, end);
                o->gl.EndQuery(GL_ANY_SAMPLES_PASSED_CONSERVATIVE);
            }
            keep_the_nearest(o);
            draw(v, true, l->box_count, tested_from(object, 1 - pass), tested_to(object, 1 - pass));
        }
    }
}

// All results are read when all is drawn: each read at once would wait for the driver.
static void read_queries(gz_views *v, const look *l)
{
    uint64_t query = 0;
    for (int pass = FORWARD; pass < PASSES; ++pass)
        for (uint32_t step = 0; step < l->object_count; ++step) {
            const gz_viewed_object *object = object_of_step(l, pass, step);
            uint32_t to = tested_to(object, pass);
            for (uint32_t from = tested_from(object, pass), end; from < to; from = end) {
                GLuint hidden = 1;
                end = query_end(l, from, to);
                v->gl.gl.GetQueryObjectuiv(v->queries.items[query++], GL_QUERY_RESULT, &hidden);
                for (uint32_t i = from; i < end && hidden == 0; ++i)
                    l->freed[i] |= freedom_of(pass);
            }
        }
}

static graze_status look_by_queries(gz_views *v, look *l)
{
    uint64_t wanted = 0;
    do {
        wanted = count_queries(l, FORWARD) + count_queries(l, REVERSE);
        if (l->whole || wanted <= PASSES * (uint64_t)(MOST_QUERIES + l->object_count))
            break;
        l->share *= 2;
    } while (true);
    if (!have_queries(v, wanted))
        return GRAZE_ERROR_MEMORY;
    draw_with_queries(v, l);
    read_queries(v, l);
    return GRAZE_OK;
}

// ---- The same, with all results in one buffer

static void clear_results(gz_views *v, uint32_t count)
{
    make_room(v, RESULTS, PASSES * (uint64_t)count * sizeof(GLuint));
    v->gl.gl.ClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 0,
                                PASSES * (GLsizeiptr)count * (GLsizeiptr)sizeof(GLuint),
                                GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
}

static bool read_results(gz_views *v, uint32_t count)
{
    v->results.count = 0;
    GLuint *results = gz_list_push(v->context, &v->results, PASSES * (uint64_t)count);
    if (results == NULL)
        return false;
    memset(results, 0xff, PASSES * (size_t)count * sizeof *results); // where reading fails
    v->gl.gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    v->gl.gl.GetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0,
                              PASSES * (GLsizeiptr)count * (GLsizeiptr)sizeof(GLuint), results);
    return true;
}

static void draw_and_mark(gz_views *v, const look *l)
{
    const gz_opengl *o = &v->gl;
    for (int pass = FORWARD; pass < PASSES; ++pass) {
        begin_pass(v, &v->programs[MARK_PROGRAM], pass, l->box_count);
        for (uint32_t step = 0; step < l->object_count; ++step) {
            const gz_viewed_object *object = object_of_step(l, pass, step);
            ask_for_hidden(o);
            draw(v, false, l->box_count, tested_from(object, pass), tested_to(object, pass));
            keep_the_nearest(o);
            draw(v, true, l->box_count, tested_from(object, 1 - pass), tested_to(object, 1 - pass));
        }
    }
}

static void free_unmarked(const gz_views *v, const look *l)
{
    const GLuint *marks = v->results.items;
    for (uint32_t i = 0; i < l->object_count; ++i)
        for (int pass = FORWARD; pass < PASSES; ++pass)
            for (uint32_t k = tested_from(&l->objects[i], pass);
                 k < tested_to(&l->objects[i], pass); ++k)
                if (marks[(pass == FORWARD ? 0 : l->box_count) + k] == 0)
                    l->freed[k] |= freedom_of(pass);
}

// ---- Test and write in one draw

// Each object is drawn at its backs, then at its fronts, and what is nearer than the depth buffer
// passes, is counted, and is kept. A box all of whose pixels have passed is wholly before all
// earlier objects. That the backs are kept, too, does no harm: within an object they are drawn from
// back to front, so none hides another; the object's own fronts, which follow, replace them. Where
// they do not, as those of settled boxes are not drawn, more lies in the buffer than need be: less
// passes.
static bool draw_and_count(gz_views *v, const look *l)
{
    const gz_opengl *o = &v->gl;
    v->firsts.count = v->counts.count = 0;
    GLint *firsts = gz_list_push(v->context, &v->firsts, 2 * (uint64_t)l->object_count);
    GLsizei *counts = gz_list_push(v->context, &v->counts, 2 * (uint64_t)l->object_count);
    if (firsts == NULL || counts == NULL)
        return false;
    for (int pass = FORWARD; pass < PASSES; ++pass) {
        GLsizei draws = 0;
        begin_pass(v, &v->programs[COUNT_PROGRAM], pass, l->box_count);
        keep_the_nearest(o);
        for (uint32_t step = 0; step < l->object_count; ++step) {
            const gz_viewed_object *object = object_of_step(l, pass, step);
            for (int fronts = 0; fronts < 2; ++fronts) {
                uint32_t from = tested_from(object, fronts ? 1 - pass : pass);
                uint32_t to = tested_to(object, fronts ? 1 - pass : pass);
                firsts[draws] = (GLint)(6 * (from + (fronts ? l->box_count : 0)));
                counts[draws] = (GLsizei)(6 * (to - from));
                draws += from < to;
            }
        }
        o->gl.MultiDrawArrays(GL_TRIANGLES, firsts, counts, draws);
    }
    return true;
}

static void free_uncovered(const gz_views *v, const look *l)
{
    const GLuint *passed = v->results.items;
    for (uint32_t i = 0; i < l->object_count; ++i)
        for (int pass = FORWARD; pass < PASSES; ++pass)
            for (uint32_t k = tested_from(&l->objects[i], pass);
                 k < tested_to(&l->objects[i], pass); ++k) {
                const gz_view_box *b = &l->boxes[k];
                uint32_t pixels =
                    (uint32_t)(b->right - b->left + 1) * (uint32_t)(b->high - b->low + 1);
                if (passed[(pass == FORWARD ? 0 : l->box_count) + k] == pixels)
                    l->freed[k] |= freedom_of(pass);
            }
}

// ---- A look

static graze_status look_by_buffer(gz_views *v, const look *l, bool zfail)
{
    bool room = true;
    clear_results(v, l->box_count);
    if (zfail)
        room = draw_and_count(v, l);
    else
        draw_and_mark(v, l);
    bind_buffer(v, RESULTS);
    if (!room || !read_results(v, l->box_count))
        return GRAZE_ERROR_MEMORY;
    if (zfail)
        free_uncovered(v, l);
    else
        free_unmarked(v, l);
    return GRAZE_OK;
}

// A test asked for this step of the driver to fail.
static bool told_to_fail(gz_views *v)
{
    if (!GZ_FAULT_DUE(v->context, draws))
        return false;
    gz_opengl_blame(&v->gl, "it was told to fail");
    return true;
}

graze_status gz_views_look(gz_views *v, graze_cull_passes passes, const gz_view_box *boxes,
                           uint32_t box_count, const gz_viewed_object *objects,
                           uint32_t object_count, bool whole, uint8_t *freed)
{
    look l = {boxes, objects, box_count, object_count, whole, 1, freed};
    int kind = passes == GRAZE_CULL_QUERIES   ? QUERY_PROGRAM
               : passes == GRAZE_CULL_BATCHED ? MARK_PROGRAM
                                              : COUNT_PROGRAM;
    graze_status status = GRAZE_OK;
    GZ_ASSERT(box_count <= v->most_boxes);
    if (box_count == 0)
        return GRAZE_OK;
    memset(freed, 0, box_count);
    v->gl.gl.UseProgram(v->programs[kind].name);
    make_room(v, BOXES, box_count * (uint64_t)sizeof *boxes);
    v->gl.gl.BufferSubData(GL_SHADER_STORAGE_BUFFER, 0, box_count * (GLsizeiptr)sizeof *boxes,
                           boxes);
    if (passes == GRAZE_CULL_QUERIES)
        status = look_by_queries(v, &l);
    else
        status = look_by_buffer(v, &l, passes == GRAZE_CULL_ZFAIL);
    if (status == GRAZE_OK && (told_to_fail(v) || !gz_opengl_sound(&v->gl)))
        status = GRAZE_ERROR_UNSUPPORTED;
    if (status == GRAZE_ERROR_MEMORY)
        gz_opengl_blame(&v->gl, "out of memory");
    if (status != GRAZE_OK)
        memset(freed, 0, box_count); // nothing that a failing driver said counts
    return status;
}

// ---- The views themselves

static bool prepare(gz_views *v)
{
    gz_opengl *o = &v->gl;
    GLint64 most_bytes = 0;
    if (!make_target(v))
        return o->why[0] != 0 || gz_opengl_blame(o, "the driver has no depth buffer of 24 bits");
    o->gl.Viewport(0, 0, (GLsizei)v->resolution, (GLsizei)v->resolution);
    o->gl.Enable(GL_DEPTH_TEST);
    o->gl.ClearDepth(1);
    for (int i = 0; i < PROGRAMS; ++i)
        if (!link_program(v, i))
            return gz_opengl_blame(o, "the driver does not compile the shaders");
    o->gl.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most_bytes);
    v->most_boxes = MOST_BOXES;
    if (most_bytes / (GLint64)sizeof(gz_view_box) < MOST_BOXES)
        v->most_boxes = (uint32_t)(most_bytes / (GLint64)sizeof(gz_view_box));
    if (!gz_opengl_sound(o))
        return false;
    return gz_views_check(v) || o->why[0] != 0 ||
           gz_opengl_blame(o, "the driver draws other pixels than it must");
}

gz_views *gz_views_open(graze_context *context, uint32_t resolution, char why[256])
{
    gz_views *v = GZ_NEW_ARRAY(context, gz_views, 1);
    if (v == NULL) {
        memcpy(why, "out of memory", sizeof "out of memory");
        return NULL;
    }
    *v = (gz_views){.context = context, .resolution = resolution};
    bool good = gz_opengl_open(&v->gl) && gz_opengl_enter(&v->gl);
    if (good) {
        good = prepare(v);
        gz_opengl_leave(&v->gl);
    }
    if (good)
        return v;
    memcpy(why, v->gl.why, sizeof v->gl.why);
    gz_views_close(v);
    return NULL;
}

// The driver gives back with a context all that was made in it.
void gz_views_close(gz_views *v)
{
    if (v == NULL)
        return;
    gz_opengl_close(&v->gl);
    gz_list_free(v->context, &v->queries);
    gz_list_free(v->context, &v->results);
    gz_list_free(v->context, &v->firsts);
    gz_list_free(v->context, &v->counts);
    GZ_FREE_ARRAY(v->context, v, 1);
}

bool gz_views_enter(gz_views *v) { return gz_opengl_enter(&v->gl); }
void gz_views_leave(gz_views *v) { gz_opengl_leave(&v->gl); }
bool gz_views_software(const gz_views *v) { return v->gl.software; }
const char *gz_views_renderer(const gz_views *v) { return v->gl.renderer; }
const char *gz_views_why(const gz_views *v) { return v->gl.why; }
uint32_t gz_views_resolution(const gz_views *v) { return v->resolution; }
uint32_t gz_views_most_boxes(const gz_views *v) { return v->most_boxes; }
#else
typedef int gz_no_opengl_views; // a file with nothing in it is not C
#endif
