/* The corners of a space reach all of its ends, branches and words. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/corners.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/codec.h"
#include "tests/lib/suite.h"

/* The study with these lines under params. */
static void space_of(const char *params, struct study *out)
{
    char *file =
        mem_format("study: s\nmaximize: a\nrun: ./t\nparams:\n%s", params);
    struct faults faults;

    faults_init(&faults);
    ck_assert_msg(!codec_decode(file, strlen(file), "s.yaml", out, &faults),
                  "%s", faults.n ? faults.items[0].text : "");
    faults_clear(&faults);
    free(file);
}

/* The corners, as NAME: JSON, one a line. Yours to free. */
static char *corners_of(const char *params)
{
    struct corners corners;
    struct study study;
    struct text out;

    space_of(params, &study);
    corners_init(&corners, &study.space);
    text_init(&out);
    for (size_t i = 0; i < corners.n; i++) {
        ck_assert(point_in(&corners.items[i].point, &study.space));
        text_addf(&out, "%s: ", corners.items[i].name);
        point_write_json(&corners.items[i].point, &study.space, &out);
        text_add(&out, "\n");
    }
    corners_clear(&corners);
    study_clear(&study);
    return text_take(&out);
}

static void has_corners(const char *params, const char *wanted)
{
    char *got = corners_of(params);

    ck_assert_str_eq(got, wanted);
    free(got);
}

START_TEST(numbers_are_at_the_middle_and_at_both_ends)
{
    has_corners("  lr: log 1e-4 .. 1e-2\n"
                "  n: int 8 .. 256 default 16\n"
                "  b: [16, 32, 64]\n"
                "  d: 0.0 .. 0.5 step 0.25\n",
                "middle: {\"lr\": 0.001, \"n\": 16, \"b\": 32, \"d\": 0.25}\n"
                "smallest: {\"lr\": 0.0001, \"n\": 8, \"b\": 16, \"d\": 0}\n"
                "largest: {\"lr\": 0.01, \"n\": 256, \"b\": 64, \"d\": 0.5}\n");
}
END_TEST

START_TEST(every_word_is_there_once_and_lists_share_corners)
{
    has_corners("  x: 0 .. 1\n"
                "  o: [a, b, c, d]\n"
                "  p: [u, v, w]\n",
                "middle: {\"x\": 0.5, \"o\": \"a\", \"p\": \"u\"}\n"
                "smallest: {\"x\": 0, \"o\": \"a\", \"p\": \"u\"}\n"
                "largest: {\"x\": 1, \"o\": \"d\", \"p\": \"w\"}\n"
                "words: {\"x\": 0.5, \"o\": \"b\", \"p\": \"v\"}\n"
                "words: {\"x\": 0.5, \"o\": \"c\", \"p\": \"u\"}\n");
}
END_TEST

START_TEST(branches_are_seen_at_both_ends)
{
    has_corners("  o: [adam, sgd, lion]\n"
                "  m: 0.25 .. 0.75 if o = sgd\n"
                "  nest: {values: [no, yes], when: {o: sgd}}\n"
                "  k: int 1 .. 3 if nest = yes\n",
                "middle: {\"o\": \"adam\"}\n"
                "largest: {\"o\": \"lion\"}\n"
                "smallest if: {\"o\": \"sgd\", \"m\": 0.25, \"nest\": \"no\"}\n"
                "smallest if: {\"o\": \"sgd\", \"m\": 0.25, \"nest\": \"yes\","
                " \"k\": 1}\n"
                "largest if: {\"o\": \"sgd\", \"m\": 0.75, \"nest\": \"yes\","
                " \"k\": 3}\n");
}
END_TEST

START_TEST(a_space_of_one_point_has_one_corner)
{
    has_corners("  o: [only]\n", "middle: {\"o\": \"only\"}\n");
}
END_TEST

START_TEST(a_list_of_very_many_words_is_cut)
{
    struct text list;
    struct corners corners;
    struct study study;

    text_init(&list);
    text_add(&list, "  o: [w");
    for (int i = 0; i < 200; i++)
        text_addf(&list, ", w%d", i);
    text_add(&list, "]\n");
    space_of(text_str(&list), &study);
    corners_init(&corners, &study.space);
    ck_assert_uint_eq(corners.n, CORNERS_MOST);
    ck_assert(corners.cut);
    corners_clear(&corners);
    study_clear(&study);
    text_clear(&list);
}
END_TEST

SUITE("cli/corners", numbers_are_at_the_middle_and_at_both_ends,
      every_word_is_there_once_and_lists_share_corners,
      branches_are_seen_at_both_ends, a_space_of_one_point_has_one_corner,
      a_list_of_very_many_words_is_cut)
