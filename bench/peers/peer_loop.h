// The loop over pairs that all C++ rivals share, so that it costs them all the same.
//
// A Test has two types and three functions:
//   one, other                                what it makes of a triangle of `a`, and one of `b`
//   one make_one(corners), other make_other(corners)
//   bool ask(one &, other &, double tolerance)
// make_one is not timed: what depends on the one triangle alone is free to be prepared.
#ifndef GRAZE_BENCH_PEER_LOOP_H
#define GRAZE_BENCH_PEER_LOOP_H

#include <vector>

#include "peer.h"

typedef const double corners3[3][3];

template <class Test> struct peer_loop {
    const peer_pairs *pairs;
    std::vector<typename Test::one> a;
    std::vector<typename Test::other> b;

    static void *prepare(const peer_pairs *pairs)
    {
        peer_loop *loop = new peer_loop;
        loop->pairs = pairs;
        loop->a.reserve(pairs->group_count);
        for (uint32_t i = 0; i < pairs->group_count; ++i)
            loop->a.push_back(Test::make_one(pairs->a[i]));
        loop->b.reserve(pairs->pair_count);
        for (uint32_t i = 0; i < pairs->pair_count; ++i)
            loop->b.push_back(Test::make_other(pairs->b[i]));
        return loop;
    }

    static void run(void *prepared, uint32_t *answers)
    {
        peer_loop *loop = static_cast<peer_loop *>(prepared);
        const peer_pairs *pairs = loop->pairs;
        for (uint32_t group = 0; group < pairs->group_count; ++group) {
            uint32_t *words = answers + pairs->group_word[group];
            uint32_t begin = pairs->group_begin[group];
            uint32_t count = pairs->group_begin[group + 1] - begin;
            for (uint32_t first = 0; first < count; first += 32) {
                uint32_t part = count - first < 32 ? count - first : 32, word = 0;
                for (uint32_t i = 0; i < part; ++i)
                    word |= static_cast<uint32_t>(Test::ask(
                                loop->a[group], loop->b[begin + first + i], pairs->tolerance))
                            << i;
                words[first / 32] = word;
            }
        }
    }

    static void finish(void *prepared) { delete static_cast<peer_loop *>(prepared); }
};

template <class Test>
constexpr peer peer_of(const char *engine, const char *width, int answers_distance)
{
    return peer{engine,
                width,
                answers_distance,
                peer_loop<Test>::prepare,
                peer_loop<Test>::run,
                peer_loop<Test>::finish,
                nullptr};
}

#endif
