// OpenGL without a screen: a context of our own through EGL, and the functions that we call.
//
// libEGL is loaded with the first culler that wants it, as assimp is with the first odd file: only
// headers are needed to build, programs start fast, and where there is no OpenGL nothing is missing
// but it. (libepoxy, which would give the same functions, ends the process where a library or a
// function is not there.) Nothing here fails loudly: what went wrong becomes a sentence in `why`,
// and who asked does without.
#ifndef GZ_OPENGL_CONTEXT_H
#define GZ_OPENGL_CONTEXT_H

#include <stdbool.h>

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#define GZ_EGL_FUNCTIONS(F)                                                                        \
    F(PFNEGLBINDAPIPROC, BindAPI)                                                                  \
    F(PFNEGLCHOOSECONFIGPROC, ChooseConfig)                                                        \
    F(PFNEGLCREATECONTEXTPROC, CreateContext)                                                      \
    F(PFNEGLDESTROYCONTEXTPROC, DestroyContext)                                                    \
    F(PFNEGLGETCURRENTCONTEXTPROC, GetCurrentContext)                                              \
    F(PFNEGLGETCURRENTDISPLAYPROC, GetCurrentDisplay)                                              \
    F(PFNEGLGETCURRENTSURFACEPROC, GetCurrentSurface)                                              \
    F(PFNEGLINITIALIZEPROC, Initialize)                                                            \
    F(PFNEGLMAKECURRENTPROC, MakeCurrent)                                                          \
    F(PFNEGLQUERYAPIPROC, QueryAPI)                                                                \
    F(PFNEGLQUERYSTRINGPROC, QueryString)

#define GZ_GL_FUNCTIONS(F)                                                                         \
    F(PFNGLATTACHSHADERPROC, AttachShader)                                                         \
    F(PFNGLBEGINQUERYPROC, BeginQuery)                                                             \
    F(PFNGLBINDBUFFERBASEPROC, BindBufferBase)                                                     \
    F(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                   \
    F(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                 \
    F(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                   \
    F(PFNGLBUFFERDATAPROC, BufferData)                                                             \
    F(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                       \
    F(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                     \
    F(PFNGLCLEARPROC, Clear)                                                                       \
    F(PFNGLCLEARBUFFERSUBDATAPROC, ClearBufferSubData)                                             \
    F(PFNGLCLEARDEPTHPROC, ClearDepth)                                                             \
    F(PFNGLCOMPILESHADERPROC, CompileShader)                                                       \
    F(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                       \
    F(PFNGLCREATESHADERPROC, CreateShader)                                                         \
    F(PFNGLDELETESHADERPROC, DeleteShader)                                                         \
    F(PFNGLDEPTHFUNCPROC, DepthFunc)                                                               \
    F(PFNGLDEPTHMASKPROC, DepthMask)                                                               \
    F(PFNGLDRAWARRAYSPROC, DrawArrays)                                                             \
    F(PFNGLDRAWBUFFERPROC, DrawBuffer)                                                             \
    F(PFNGLENABLEPROC, Enable)                                                                     \
    F(PFNGLENDQUERYPROC, EndQuery)                                                                 \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                   \
    F(PFNGLGENBUFFERSPROC, GenBuffers)                                                             \
    F(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                   \
    F(PFNGLGENQUERIESPROC, GenQueries)                                                             \
    F(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                 \
    F(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                   \
    F(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)                                                 \
    F(PFNGLGETERRORPROC, GetError)                                                                 \
    F(PFNGLGETINTEGER64VPROC, GetInteger64v)                                                       \
    F(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                         \
    F(PFNGLGETQUERYOBJECTUIVPROC, GetQueryObjectuiv)                                               \
    F(PFNGLGETRENDERBUFFERPARAMETERIVPROC, GetRenderbufferParameteriv)                             \
    F(PFNGLGETSTRINGPROC, GetString)                                                               \
    F(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                             \
    F(PFNGLLINKPROGRAMPROC, LinkProgram)                                                           \
    F(PFNGLMEMORYBARRIERPROC, MemoryBarrier)                                                       \
    F(PFNGLMULTIDRAWARRAYSPROC, MultiDrawArrays)                                                   \
    F(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)                                           \
    F(PFNGLSHADERSOURCEPROC, ShaderSource)                                                         \
    F(PFNGLUNIFORM1FPROC, Uniform1f)                                                               \
    F(PFNGLUNIFORM1UIPROC, Uniform1ui)                                                             \
    F(PFNGLUSEPROGRAMPROC, UseProgram)                                                             \
    F(PFNGLVIEWPORTPROC, Viewport)

typedef struct gz_opengl {
#define GZ_MEMBER_OF_GL(type, name) type name;
    struct {
        GZ_EGL_FUNCTIONS(GZ_MEMBER_OF_GL)
        PFNEGLGETPROCADDRESSPROC GetProcAddress;
    } egl;
    struct {
        GZ_GL_FUNCTIONS(GZ_MEMBER_OF_GL)
        PFNGLGETGRAPHICSRESETSTATUSPROC GetGraphicsResetStatus; // NULL where the driver has none
    } gl;
#undef GZ_MEMBER_OF_GL
    EGLDisplay display;
    EGLContext context;
    bool software; // the driver draws on the CPU
    char renderer[128];
    char why[256]; // it cannot be used: one sentence without its end; "" while it can
    // What was current in the thread that has entered.
    EGLenum callers_api;
    EGLDisplay callers_display;
    EGLContext callers_context;
    EGLSurface callers_draw, callers_read;
} gz_opengl;

// A context of OpenGL 4.3 or later; a GPU's where there is one. False: see `why`. Whatever was
// current in this thread stays so.
bool gz_opengl_open(gz_opengl *o);
void gz_opengl_close(gz_opengl *o); // accepts one that was zeroed, and one that was not opened

// Makes the context current in this thread, and afterwards again what was before. A context may be
// entered from any thread, by one at a time.
bool gz_opengl_enter(gz_opengl *o);
void gz_opengl_leave(gz_opengl *o);

// Nothing went wrong since it was last asked, and the context is not lost. False: see `why`.
bool gz_opengl_sound(gz_opengl *o);
bool gz_opengl_blame(gz_opengl *o, const char *why); // false, with that for a reason

// Whether there is a GPU at all, asked without a context: cheap, and may be wrong to say yes.
bool gz_opengl_may_have_gpu(void);

#endif
