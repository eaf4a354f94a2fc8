// OpenGL without a screen: a context of our own through EGL, and the functions that we call.
//
// Displays are shared by all of a process that ask for the same one, and they are not counted: what
// we gave back with eglTerminate would be gone for the caller, too. So a display once initialised
// stays, as does libEGL itself; contexts are given back.
#ifdef GZ_HAVE_OPENGL
#include "cull/opengl_context.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY      "libEGL.so.1"
#define MOST_DEVICES 16

bool gz_opengl_blame(gz_opengl *o, const char *why)
{
    snprintf(o->why, sizeof o->why, "%s", why);
    return false;
}

// A word of an extension string, not a part of one.
static bool has_extension(const char *all, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = all; at != NULL && (at = strstr(at, name)) != NULL; at += length)
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static bool load_egl(gz_opengl *o)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return gz_opengl_blame(o, "EGL is not installed: " LIBRARY " cannot be loaded");
        // ISO C has no cast from void * to a function.
#define LOAD(type, name)                                                                           \
    {                                                                                              \
        void *symbol = dlsym(library, "egl" #name);                                                \
        if (symbol == NULL)                                                                        \
            return gz_opengl_blame(o, LIBRARY " has no egl" #name);                                \
        memcpy(&o->egl.name, &symbol, sizeof symbol);                                              \
    }
    GZ_EGL_FUNCTIONS(LOAD)
    LOAD(, GetProcAddress)
#undef LOAD
    return true;
}

static void *function_named(const gz_opengl *o, const char *name)
{
    __eglMustCastToProperFunctionPointerType function = o->egl.GetProcAddress(name);
    void *symbol;
    memcpy(&symbol, &function, sizeof symbol);
    return symbol;
}

static bool load_gl(gz_opengl *o)
{
#define LOAD(type, name)                                                                           \
    {                                                                                              \
        void *symbol = function_named(o, "gl" #name);                                              \
        if (symbol == NULL)                                                                        \
            return gz_opengl_blame(o, "the driver has no gl" #name);                               \
        memcpy(&o->gl.name, &symbol, sizeof symbol);                                               \
    }
    GZ_GL_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}

// ---- Displays

// Those of devices, GPUs or not, as wanted; the devices themselves are only counted where `o` has
// no use for a display.
typedef struct devices {
    EGLDeviceEXT all[MOST_DEVICES];
    bool software[MOST_DEVICES];
    EGLint count;
} devices;

static void find_devices(const gz_opengl *o, devices *found)
{
    const char *client = o->egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    found->count = 0;
    if (!has_extension(client, "EGL_EXT_device_base") &&
        !has_extension(client, "EGL_EXT_device_enumeration"))
        return;
    PFNEGLQUERYDEVICESEXTPROC query = NULL;
    PFNEGLQUERYDEVICESTRINGEXTPROC text_of = NULL;
    void *symbol = function_named(o, "eglQueryDevicesEXT");
    memcpy(&query, &symbol, sizeof symbol);
    symbol = function_named(o, "eglQueryDeviceStringEXT");
    memcpy(&text_of, &symbol, sizeof symbol);
    if (query == NULL || !query(MOST_DEVICES, found->all, &found->count))
        found->count = 0;
    for (EGLint i = 0; i < found->count; ++i) {
        const char *text = text_of != NULL ? text_of(found->all[i], EGL_EXTENSIONS) : NULL;
        found->software[i] = has_extension(text, "EGL_MESA_device_software");
    }
}

static bool open_display(gz_opengl *o, EGLenum platform, void *native)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC display_of = NULL;
    void *symbol = function_named(o, "eglGetPlatformDisplayEXT");
    memcpy(&display_of, &symbol, sizeof symbol);
    if (display_of == NULL)
        return false;
    o->display = display_of(platform, native, NULL);
    return o->display != EGL_NO_DISPLAY && o->egl.Initialize(o->display, NULL, NULL);
}

// ---- A context

static EGLContext create_context(gz_opengl *o, EGLConfig config, EGLint minor, bool robust)
{
    EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                           4,
                           EGL_CONTEXT_MINOR_VERSION,
                           minor,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                           robust ? EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY : EGL_NONE,
                           EGL_LOSE_CONTEXT_ON_RESET,
                           EGL_NONE};
    return o->egl.CreateContext(o->display, config, EGL_NO_CONTEXT, attributes);
}

// On the display at hand. A reset of the GPU is to be told to us, where the driver can.
static bool open_context(gz_opengl *o)
{
    const char *extensions = o->egl.QueryString(o->display, EGL_EXTENSIONS);
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    if (!has_extension(extensions, "EGL_KHR_surfaceless_context"))
        return gz_opengl_blame(o, "the driver draws to windows only");
    if (!has_extension(extensions, "EGL_KHR_no_config_context") &&
        !has_extension(extensions, "EGL_MESA_configless_context")) {
        const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                 EGL_NONE};
        if (!o->egl.ChooseConfig(o->display, wanted, &config, 1, &count) || count == 0)
            return gz_opengl_blame(o, "the driver has no configuration for OpenGL");
    }
    if (!o->egl.BindAPI(EGL_OPENGL_API))
        return gz_opengl_blame(o, "the driver has OpenGL ES only");
    for (int kind = 0; kind < 4 && o->context == EGL_NO_CONTEXT; ++kind)
        o->context = create_context(o, config, kind % 2 == 0 ? 5 : 3, kind < 2);
    return o->context != EGL_NO_CONTEXT || gz_opengl_blame(o, "the driver has no OpenGL 4.3");
}

static bool make_current(gz_opengl *o)
{
    return o->egl.MakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context) ||
           gz_opengl_blame(o, "the context cannot be made current in this thread");
}

// The first display that gives a context: of GPUs, of whatever the driver thinks best, of software.
static bool open_some(gz_opengl *o)
{
    devices found;
    find_devices(o, &found);
    gz_opengl_blame(o, "EGL finds no driver that works without a screen");
    for (int round = 0; round < 3; ++round)
        for (EGLint i = 0; i < (round == 1 ? 1 : found.count); ++i) {
            if (round != 1 && found.software[i] != (round == 2))
                continue;
            if (open_display(o,
                             round == 1 ? EGL_PLATFORM_SURFACELESS_MESA : EGL_PLATFORM_DEVICE_EXT,
                             round == 1 ? (void *)EGL_DEFAULT_DISPLAY : found.all[i]) &&
                open_context(o)) {
                o->why[0] = 0;
                return true;
            }
        }
    return false;
}

static void remember_caller(gz_opengl *o)
{
    o->callers_api = o->egl.QueryAPI();
    o->callers_display = o->egl.GetCurrentDisplay();
    o->callers_context = o->egl.GetCurrentContext();
    o->callers_draw = o->egl.GetCurrentSurface(EGL_DRAW);
    o->callers_read = o->egl.GetCurrentSurface(EGL_READ);
}

void gz_opengl_leave(gz_opengl *o)
{
    bool none = o->callers_context == EGL_NO_CONTEXT;
    if (none && o->context != EGL_NO_CONTEXT)
        o->egl.MakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    o->egl.BindAPI(o->callers_api);
    if (!none)
        o->egl.MakeCurrent(o->callers_display, o->callers_draw, o->callers_read,
                           o->callers_context);
}

bool gz_opengl_enter(gz_opengl *o)
{
    remember_caller(o);
    o->egl.BindAPI(EGL_OPENGL_API);
    if (make_current(o))
        return true;
    gz_opengl_leave(o);
    return false;
}

static void learn_renderer(gz_opengl *o)
{
    static const char *const software[] = {"llvmpipe", "softpipe", "swrast", "SWR", "Software"};
    const char *name = (const char *)o->gl.GetString(GL_RENDERER);
    snprintf(o->renderer, sizeof o->renderer, "%s",
             name != NULL ? name : "a driver without a name");
    for (size_t i = 0; i < sizeof software / sizeof *software; ++i)
        o->software = o->software || strstr(o->renderer, software[i]) != NULL;
    void *symbol = function_named(o, "glGetGraphicsResetStatus");
    memcpy(&o->gl.GetGraphicsResetStatus, &symbol, sizeof symbol);
}

bool gz_opengl_open(gz_opengl *o)
{
    *o = (gz_opengl){0};
    if (!load_egl(o))
        return false;
    remember_caller(o);
    bool good = open_some(o) && make_current(o) && load_gl(o);
    if (good)
        learn_renderer(o);
    gz_opengl_leave(o);
    if (!good)
        gz_opengl_close(o);
    return good;
}

void gz_opengl_close(gz_opengl *o)
{
    if (o->context != EGL_NO_CONTEXT)
        o->egl.DestroyContext(o->display, o->context);
    o->context = EGL_NO_CONTEXT;
}

bool gz_opengl_sound(gz_opengl *o)
{
    // A context of before 4.5 may give the function's name, and not the function.
    if (o->gl.GetGraphicsResetStatus != NULL && o->gl.GetGraphicsResetStatus() != GL_NO_ERROR)
        return gz_opengl_blame(o, "the driver was reset, and the context is lost");
    GLenum error = o->gl.GetError();
    if (error == GL_NO_ERROR)
        return true;
    for (int i = 0; i < 8 && o->gl.GetError() != GL_NO_ERROR; ++i) // the others do not matter
        continue;
    snprintf(o->why, sizeof o->why,
             error == GL_OUT_OF_MEMORY ? "the driver is out of memory"
                                       : "the driver says error 0x%x",
             error);
    return false;
}

bool gz_opengl_may_have_gpu(void)
{
    gz_opengl o = {0};
    devices found;
    if (!load_egl(&o))
        return false;
    find_devices(&o, &found);
    for (EGLint i = 0; i < found.count; ++i)
        if (!found.software[i])
            return true;
    return false;
}
#else
typedef int gz_no_opengl_context; // a file with nothing in it is not C
#endif
