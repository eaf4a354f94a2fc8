// What it costs to check a whole plant for clashes in bounded memory, and to walk through it.
//   bench_clash [--models FOLDER] [--triangles N] [--objects N] [--rival-triangles N]
//               [--part check,rival,walk] [--order NAME] [--percent P] [--touch MM]
//               [--limit SECONDS] [--make] [--alone] [--quick]
// A generated plant, of 15 million triangles and 1,800 objects unless told otherwise, is built into
// a scene file without levels of detail. It is kept in FOLDER, or where GRAZE_MODELS says, and made
// where it is not there; --make does only that. Without either it is temporary. Each line is
// measured in a process of its own that begins with an empty cache. Lines that begin with "# build"
// tell how plants were built: time, bytes a triangle in the file, memory.
//
// check: all objects against all others, with a clearance of 25 mm, on all threads, with a cache
// from 0.5 to 100 % of what the whole plant takes in the cache (34 bytes a triangle), 2 MiB at
// least (Wilson et al., figure 8); then in 160 MB of memory, divided as `graze clash --memory 160M`
// does it. --order and --percent pick one of each; 160 MB are percent 0. --touch is the library's
// default unless told otherwise. What takes more than the limit, 600 seconds unless told otherwise,
// is given up, and a line that begins with "# gave up" says so. Columns:
//   order              of the pairs: number (none), breadth (the paper's), greedy (graze's)
//   clearance_mm
//   percent, cache_mib the size of the cache
//   walk               warm: the system has the file in its memory; cold: reads go past it
//   seconds, processor by the clock; of all processors
//   loads              loads per triangle: triangles that came into the cache, of all there are
//   lru, belady        the same by the model of a cache that takes whole pieces of objects, each
//                      at most a tenth of the cache, in the same order
//   megabytes, stalls  that were read; times that somebody waited for a page
//   partitions         localised subgraphs
//   resident_mib       of the process, at most; context_mib: what the context allocated, at most
//   box_pairs          pairs of objects whose boxes are near
//   duplicate .. touching   clashes by kind
//   wrong              1 if the list of clashes differs in any bit from the first one
//
// rival: which objects of a plant of 1.5 million triangles share a point? FCL with its dynamic AABB
// tree, in its own memory; graze asked for the same, with shapes in memory and with a scene file
// whose pages all stay in the cache; and the whole clash check, which tells kinds and depths, too.
// --alone leaves FCL out. Columns:
//   engine, setting, threads
//   build_seconds      trees, and the tree of objects' boxes; of a scene file: opening it.
//                      build_processor: the same, of all processors
//   seconds, processor of the question for all pairs
//   built_mib          what the process holds more of memory when all is built
//   resident_mib       of the process while it asks, at most
//   pairs              that were found; of a clash check: clashes, with those that touch
//   missed, surplus    beside the pairs of graze's verdicts in memory, which are exact. A clash
//                      check has more: what is contained, what touches without a common point
//
// walk: an avatar of 4,000 triangles takes 2,000 steps through the plant, in 160 MB of memory (the
// paper's figures 10 and 11). Columns:
//   question           collision; tolerance: what is within 10 cm; distance: to what is nearest
//   ahead              1: pages are read ahead of the avatar
//   walk               as above
//   mean_us .. max_us  of a step; processor_us: of all processors, the mean
//   loads, prefetched  pages that came into the cache; of them, those that were read ahead of time
//   page_loads         pages that were not there when a question needed them
//   waits              for a page to be read
//   megabytes          that were read
//   near, contacts     of a step, on the mean: pairs whose boxes are near; objects in contact
//   wrong              1 if an answer differs from those of the first line of the question
// The exit code is 1 if graze is wrong anywhere.
#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clash_loads.h"
#include "clash_plants.h"
#include "clash_rivals.h"
#include "clash_walks.h"
#include "option_words.h"
#include "reading_cost.h"

#define MEMORY_BYTES  UINT64_C(160000000)
#define LEAST_CACHE   (UINT64_C(2) << 20)
#define CLEARANCE     0.025
#define SMALL_PERCENT 5
#define SUM_START     UINT64_C(14695981039346656037)
enum { CANNOT = 77, LATE = 78, ORDERS = 3, QUESTIONS = 3 };

static const char *const orders[ORDERS] = {"number", "breadth", "greedy"};
enum { GREEDY = 2 };
static const char *const questions[QUESTIONS] = {"collision", "tolerance", "distance"};

typedef struct check_def {
    uint32_t order;
    double clearance;
    uint64_t cache_bytes; // 0: what 160 MB of memory have for it
    bool direct;
} check_def;

typedef struct checked {
    graze_clash_totals totals;
    uint64_t sum; // of the whole list
    bool known;
} checked;

// What the processes share.
typedef struct bench {
    const char *models, *parts, *order;
    double percent; // below 0: all
    double touch;   // millimetres; below 0: the default
    uint32_t triangles, objects, rival_triangles, limit;
    bool quick, make_only, alone;
    char folder[CLASH_NAME];
    clash_plant plant;
    clash_rivalry rivalry;
    uint64_t wrong;
    checked first[2]; // checks without and with a clearance
    uint64_t walk_sum[QUESTIONS];
    bool walk_known[QUESTIONS];
    clash_pairs known;
    // What the present process is to do.
    check_def check;
    uint32_t engine, question;
    bool ahead, direct, made_for_rival;
} bench;

// In a process of its own, so that its memory is what it needs.
static int in_child(bench *b, int (*call)(bench *b))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(b->limit);
        int result = call(b);
        fflush(stdout);
        _exit(result);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return LATE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What takes too long is left out. `what` is for the line that says so.
static bool run(bench *b, int (*call)(bench *b), const char *what)
{
    int result = in_child(b, call);
    if (result == LATE)
        printf("# gave up: %s, after %u s\n", what, b->limit);
    return result == 0 || result == CANNOT || result == LATE;
}

static bool wanted(const bench *b, const char *part)
{
    return b->parts == NULL || strstr(b->parts, part) != NULL;
}

// --- Plants

static int make_plant(bench *b)
{
    clash_plant *plant = b->made_for_rival ? &b->rivalry.plant : &b->plant;
    uint64_t triangles = b->made_for_rival ? b->rivalry.triangle_count : b->triangles;
    uint64_t objects = b->made_for_rival ? b->rivalry.object_count : b->objects;
    bool good = clash_plant_make(b->folder, triangles, objects, plant);
    if (good)
        printf("# build %s: %s\n", b->made_for_rival ? "for rivals" : "plant", plant->built);
    return !good;
}

static bool make_plants(bench *b)
{
    bool good = true;
    if (wanted(b, "check") || wanted(b, "walk"))
        good = in_child(b, make_plant) == 0;
    b->made_for_rival = true;
    if (good && wanted(b, "rival"))
        good = in_child(b, make_plant) == 0;
    return good;
}

// --- Checks

static void add_to_sum(uint64_t *sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i)
        *sum = (*sum ^ at[i]) * UINT64_C(1099511628211);
}

static graze_status sum_clash(void *user, const graze_clash *clash)
{
    uint64_t *sum = user, whole = clash->region_whole, kind = clash->kind, inner = clash->inner;
    const double lengths[4] = {clash->depth_low, clash->depth_high, clash->gap, clash->length};
    add_to_sum(sum, &kind, sizeof kind);
    add_to_sum(sum, &inner, sizeof inner);
    add_to_sum(sum, &clash->a, sizeof clash->a);
    add_to_sum(sum, &clash->b, sizeof clash->b);
    add_to_sum(sum, lengths, sizeof lengths);
    add_to_sum(sum, clash->point_a, sizeof clash->point_a);
    add_to_sum(sum, clash->point_b, sizeof clash->point_b);
    add_to_sum(sum, &clash->region, sizeof clash->region);
    add_to_sum(sum, &whole, sizeof whole);
    return GRAZE_OK;
}

typedef struct check_cost {
    double seconds, processor, resident_mib, context_mib;
    uint64_t stalls;
    uint64_t cache_bytes;
    clash_loads model;
} check_cost;

static bool differs(const checked *one, const checked *other)
{
    return one->sum != other->sum ||
           memcmp(one->totals.counts, other->totals.counts, sizeof one->totals.counts) != 0;
}

static void print_check(bench *b, const checked *c, const check_cost *cost)
{
    const graze_clash_totals *t = &c->totals;
    checked *first = &b->first[b->check.clearance > 0];
    if (!first->known) {
        *first = *c;
        first->known = true;
    }
    bool wrong = differs(c, first);
    b->wrong += wrong;
    printf("check,%s,%g,%.2f,%.2f,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.2f,%llu,%llu,%.1f,%.1f,%llu",
           orders[b->check.order], 1000 * b->check.clearance,
           100 * (double)cost->cache_bytes / b->plant.tree_bytes,
           (double)cost->cache_bytes / 1048576, b->check.direct ? "cold" : "warm", cost->seconds,
           cost->processor, (double)t->triangles_loaded / (double)t->triangles_stored,
           cost->model.lru, cost->model.belady, (double)t->bytes_read / 1e6,
           (unsigned long long)cost->stalls, (unsigned long long)t->partition_count,
           cost->resident_mib, cost->context_mib, (unsigned long long)t->box_pairs);
    for (int kind = 1; kind < GRAZE_CLASH_KINDS; ++kind)
        printf(",%llu", (unsigned long long)t->counts[kind]);
    printf(",%d\n", wrong);
}

// Looks at the whole plant, once.
static graze_status check_scene(bench *b, clash_opened *o, checked *c, check_cost *cost)
{
    graze_clash_def def = graze_clash_def_default();
    def.clearance = b->check.clearance;
    if (b->touch >= 0)
        def.touch = b->touch / 1000;
    graze_cache_use before = graze_scene_cache_use(o->scene);
    double start = seconds_of(CLOCK_MONOTONIC), processor = processor_seconds();
    graze_status status = graze_scene_clash(o->scene, &def, sum_clash, &c->sum, &c->totals);
    cost->seconds = seconds_of(CLOCK_MONOTONIC) - start;
    cost->processor = processor_seconds() - processor;
    cost->resident_mib = (double)reading_peak() / 1048576;
    cost->context_mib = (double)graze_context_memory(o->context).peak_bytes / 1048576;
    graze_cache_use after = graze_scene_cache_use(o->scene);
    cost->stalls = after.stalls - before.stalls;
    cost->cache_bytes = after.limit_bytes;
    return status == GRAZE_OK
               ? clash_loads_of(o->scene, &def, b->check.order, cost->cache_bytes, &cost->model)
               : status;
}

static int run_check(bench *b)
{
    clash_opened o;
    checked c = {.sum = SUM_START};
    check_cost cost = {.seconds = 0};
    clash_room room = {.cache_bytes = b->check.cache_bytes,
                       .memory_bytes = b->check.cache_bytes == 0 ? MEMORY_BYTES : 0,
                       .direct = b->check.direct,
                       .order = b->check.order + 1};
#ifdef M_ARENA_MAX
    if (room.memory_bytes != 0)
        (void)mallopt(M_ARENA_MAX, 1); // as the command does it where memory is limited
#endif
    reading_forget_peak();
    graze_status status = clash_plant_open(&b->plant, &room, &o);
    bool direct_fails = room.direct && status == GRAZE_ERROR_IO;
    if (status == GRAZE_OK)
        status = check_scene(b, &o, &c, &cost);
    if (status == GRAZE_OK)
        print_check(b, &c, &cost);
    else if (!direct_fails && o.context != NULL)
        fprintf(stderr, "bench_clash: %s\n", graze_context_error(o.context));
    clash_plant_close(&o);
    if (room.memory_bytes != 0 && cost.resident_mib * 1048576 > (double)room.memory_bytes) {
        fprintf(stderr, "bench_clash: %.1f MiB were resident, but 160 MB are allowed\n",
                cost.resident_mib);
        return 1;
    }
    return status == GRAZE_OK ? 0 : direct_fails ? CANNOT : 1;
}

// A cache of 0 bytes is that of 160 MB of memory.
static bool check_once(bench *b, uint32_t order, double clearance, uint64_t cache, bool direct)
{
    b->check = (check_def){order, clearance, cache, direct};
    if (b->order != NULL && strcmp(b->order, orders[order]) != 0)
        return true;
    char what[64];
    snprintf(what, sizeof what, "check, %s, %.2f MiB", orders[order], (double)cache / 1048576);
    return run(b, run_check, what);
}

static uint64_t cache_for(const bench *b, double percent)
{
    uint64_t cache = (uint64_t)(percent / 100 * b->plant.tree_bytes);
    return cache < LEAST_CACHE ? LEAST_CACHE : cache;
}

static bool check_size(bench *b, uint64_t cache)
{
    bool good = true;
    for (uint32_t order = 0; order < ORDERS && good; ++order)
        good = check_once(b, order, CLEARANCE, cache, false);
    return good;
}

static bool run_checks(bench *b)
{
    static const double percents[] = {0.5, 1, 2, 5, 10, 20, 50, 100};
    enum { SIZES = sizeof percents / sizeof *percents };
    bool good = true;
    uint64_t before = 0, small = cache_for(b, SMALL_PERCENT);
    printf(
        "clash_check,order,clearance_mm,percent,cache_mib,walk,seconds,processor,loads,lru,belady,"
        "megabytes,stalls,partitions,resident_mib,context_mib,box_pairs,duplicate,contained,"
        "overlap,crossing,clearance,touching,wrong\n");
    if (b->percent >= 0)
        return check_size(b, b->percent == 0 ? 0 : cache_for(b, b->percent));
    for (int i = 0; i < SIZES && good; ++i) {
        uint64_t cache = cache_for(b, percents[i]);
        good = cache == before || check_size(b, cache);
        before = cache;
    }
    return good && check_size(b, 0) && check_once(b, GREEDY, 0, 0, false) &&
           check_once(b, GREEDY, 0, small, false) && check_once(b, GREEDY, CLEARANCE, 0, true) &&
           check_once(b, GREEDY, CLEARANCE, small, true);
}

// --- Rivals

static int run_engine(bench *b)
{
    clash_engine about = clash_engine_about(b->engine);
    clash_engine_cost c;
    if (!clash_engine_run(&b->rivalry, b->engine, &b->known, &c))
        return 1;
    printf("rival,%s,%s,%u,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%llu,%llu,%llu\n", about.name,
           about.setting, c.threads, c.build, c.build_processor, c.seconds, c.processor,
           c.built_mib, c.resident_mib, (unsigned long long)c.pairs, (unsigned long long)c.missed,
           (unsigned long long)c.surplus);
    b->wrong += about.is_graze && c.missed != 0;
    return 0;
}

static bool run_rivals(bench *b)
{
    bool good = true;
    printf("clash_rival,engine,setting,threads,build_seconds,build_processor,seconds,processor,"
           "built_mib,"
           "resident_mib,pairs,missed,surplus\n");
    for (b->engine = 0; b->engine < clash_engine_count() && good; ++b->engine)
        if (!b->alone || clash_engine_about(b->engine).is_graze)
            good = run(b, run_engine, clash_engine_about(b->engine).setting) ||
                   !clash_engine_about(b->engine).is_graze;
    return good;
}

// --- Walks

static int run_walk(bench *b)
{
    clash_walk walk = {.question = questions[b->question],
                       .def = graze_motion_def_default(),
                       .direct = b->direct,
                       .steps = b->quick ? 100 : CLASH_STEPS,
                       .memory_bytes = MEMORY_BYTES};
    clash_walked w;
    walk.def.tolerance = b->question == 1 ? 0.1 : 0;
    walk.def.distance = b->question == 2 ? 1.0 / 0.0 : 0;
    if (!b->ahead)
        walk.def.look_ahead = 0;
    graze_status status = clash_walk_take(&b->plant, &walk, &w);
    if (status != GRAZE_OK)
        return b->direct && status == GRAZE_ERROR_IO ? CANNOT : 1;
    if (!b->walk_known[b->question]) {
        b->walk_known[b->question] = true;
        b->walk_sum[b->question] = w.sum;
    }
    bool wrong = w.sum != b->walk_sum[b->question];
    b->wrong += wrong;
    printf("walk,%s,%d,%s,%u,%.1f,%.1f,%.1f,%.1f,%.1f,%llu,%llu,%llu,%llu,%.2f,%.2f,%.2f,%.1f,%.4f,"
           "%.1f,%d\n",
           walk.question, b->ahead, b->direct ? "cold" : "warm", walk.steps, w.mean, w.median,
           w.p99, w.most, w.processor, (unsigned long long)w.use.loads,
           (unsigned long long)w.use.prefetched, (unsigned long long)w.page_loads,
           (unsigned long long)w.use.stalls, (double)w.use.bytes_read / 1e6,
           (double)w.near_pairs / walk.steps, (double)w.contacts / walk.steps,
           (double)w.triangle_tests / walk.steps, w.nearest, w.resident_mib, wrong);
    return 0;
}

static bool run_walks(bench *b)
{
    bool good = true;
    printf("clash_walk,question,ahead,walk,steps,mean_us,p50_us,p99_us,max_us,processor_us,loads,"
           "prefetched,page_loads,waits,megabytes,near,contacts,triangle_tests,nearest,"
           "resident_mib,wrong\n");
    for (b->question = 0; b->question < QUESTIONS; ++b->question)
        for (int way = 0; way < 4 && good; ++way) {
            b->ahead = way % 2 == 0;
            b->direct = way / 2 == 1;
            good = run(b, run_walk, questions[b->question]);
        }
    return good;
}

// --- The whole

static bool choose_folder(bench *b)
{
    const char *large = getenv("TMPDIR");
    if (b->models == NULL && !b->quick)
        b->models = getenv("GRAZE_MODELS");
    if (b->models != NULL) {
        snprintf(b->folder, CLASH_NAME, "%s", b->models);
        return true;
    }
    snprintf(b->folder, CLASH_NAME, "%.900s/graze_bench_XXXXXX", large != NULL ? large : "/tmp");
    if (mkdtemp(b->folder) != NULL)
        return true;
    perror(b->folder);
    return false;
}

static void remove_folder(const bench *b)
{
    DIR *folder = b->models != NULL ? NULL : opendir(b->folder);
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        char path[CLASH_NAME + 300];
        snprintf(path, sizeof path, "%s/%s", b->folder, e->d_name);
        if (strncmp(e->d_name, "clash_", 6) == 0)
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    if (b->models == NULL)
        rmdir(b->folder);
}

static bool take_options(bench *b, int count, char **words)
{
    const option_word options[] = {
        {.word = "--models", .text = &b->models},
        {.word = "--triangles", .number = &b->triangles},
        {.word = "--objects", .number = &b->objects},
        {.word = "--rival-triangles", .number = &b->rival_triangles},
        {.word = "--part", .text = &b->parts},
        {.word = "--order", .text = &b->order},
        {.word = "--percent", .real = &b->percent},
        {.word = "--touch", .real = &b->touch},
        {.word = "--limit", .number = &b->limit},
        {.word = "--make", .flag = &b->make_only},
        {.word = "--alone", .flag = &b->alone},
        {.word = "--quick", .flag = &b->quick},
        {.word = NULL},
    };
    bool quick = has_option_word(count, words, "--quick");
    b->percent = b->touch = -1;
    b->limit = 600;
    b->triangles = quick ? 50000 : 15000000;
    b->objects = quick ? 150 : 1800;
    b->rival_triangles = quick ? 20000 : 1500000;
    if (!take_option_words(count, words, options))
        return false;
    // As many objects for a triangle as the large one has, but not fewer than some.
    uint64_t objects = (uint64_t)b->objects * b->rival_triangles / (b->triangles + 1);
    b->rivalry.triangle_count = b->rival_triangles;
    b->rivalry.object_count = objects < b->objects / 2 ? b->objects / 2 : objects;
    return true;
}

int main(int count, char **words)
{
    bench *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) {
        perror("bench_clash");
        return 1;
    }
    if (!take_options(b, count, words)) {
        fprintf(stderr,
                "usage: bench_clash [--models FOLDER] [--triangles N] [--objects N] "
                "[--rival-triangles N] [--part check,rival,walk] [--order NAME] "
                "[--percent P] [--touch MM] [--limit SECONDS] [--make] [--alone] [--quick]\n");
        return 2;
    }
    if (!choose_folder(b))
        return 1;
    bool good = make_plants(b);
    if (good && !b->make_only && wanted(b, "check"))
        good = run_checks(b);
    if (good && !b->make_only && wanted(b, "rival"))
        good = run_rivals(b);
    if (good && !b->make_only && wanted(b, "walk"))
        good = run_walks(b);
    remove_folder(b);
    if (!good)
        fprintf(stderr, "bench_clash: something could not be measured\n");
    return !good || b->wrong != 0;
}
